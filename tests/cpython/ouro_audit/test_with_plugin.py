# SPDX-License-Identifier: MIT
"""Tests for the plugin to watch: tests/scripts/audit.sh runs pytest with this file."""

import weakref

import pytest
import zoo


def test_with_a_mistake():
    node = zoo.T01()
    node.b = []


def test_without():
    node = zoo.HeapNode()
    node.a = [node]


def test_with_a_mistake_that_only_experiments_find():
    node = zoo.D36()
    node.a = []


@pytest.mark.no_ouro_audit
def test_that_is_left_out():
    node = zoo.T03()
    node.a = []


@pytest.mark.ouro_audit_ignore("GC-T10")
def test_that_ignores_its_mistake():
    node = zoo.T10()
    return_value = weakref.ref(node)
    assert return_value() is node


def test_with_the_fixture(ouro_audit):
    ouro_audit.assert_clean(zoo.StaticNode())


@pytest.mark.parametrize("number", range(30))
def test_that_takes_time(number):
    node = zoo.HeapNode()
    node.a = [sum(range(100000))]
