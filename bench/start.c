/* SPDX-License-Identifier: MIT */
/* The executable of a peer. Everything else is in the peer's shared object, as the container
 * types of an extension module are in theirs. */
int bench_main(int argc, char **argv);

int
main(int argc, char **argv)
{
    return bench_main(argc, argv);
}
