#!/bin/sh
# SPDX-License-Identifier: MIT
# Write the manual pages of section 3 into a folder, from the comments of the headers:
#   tools/make-man.sh FOLDER
# A comment and the declarations right below it become one page. The page has the name of its
# first function; the other names are links to it. Types that the functions mention are shown
# with their comments. From the environment: VERSION.
set -eu
LC_ALL=C
export LC_ALL
[ $# -eq 1 ] || { sed -n 's/^#   //p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../include/ouroboros"
rm -f "$folder"/Ouro_*.3

pages() {
    awk -v folder="$folder" -v version="$VERSION" '
    # ---- reading: paragraphs of a comment and what stands below it -------------------------

    FNR == 1 {
        finish()
        header = FILENAME ~ /^py\// ? "Python.h" : FILENAME
        section = ""
        hidden = structure = 0
    }
    # the other half of ouro_check.h is for the library without a checker
    header == "ouro_check.h" && /^#else/ { hidden = 1 }
    hidden { next }
    /^\/\* ---.*--- *\*\/$/ {
        finish()
        section = $0
        gsub(/^\/\* -+ | -+ *\*\/$/, "", section)
        next
    }
    /^\/\*/ { finish(); in_comment = 1 }
    in_comment { read_comment($0); next }
    /^$/ && !structure { finish(); next }
    /^(#include|#if|#endif|#ifndef|OURO_[A-Z]*_DECLS)/ { next }
    { code = code $0 "\n" }
    /^typedef (struct|enum) .*\{$|^enum \{$/ { structure = 1 }
    /^}/ { structure = 0 }

    function read_comment(line)
    {
        in_comment = line !~ /\*\/ *$/
        sub(/^\/\* ?/, "", line)
        sub(/^ \* ?/, "", line)
        sub(/ *\*\/ *$/, "", line)
        text = text line "\n"
    }

    # A comment with a declaration of one of our functions is a page. Otherwise it may be a type.
    function finish()
    {
        if (code ~ /PyAPI_FUNC\([^)]*\) Ouro_/) {
            remember_page()
        } else if (code != "") {
            remember_type()
        }
        text = code = ""
    }

    function remember_page(    rest, name)
    {
        count++
        page_text[count] = text
        page_code[count] = code
        page_header[count] = header
        page_section[count] = section
        rest = code
        while (match(rest, /PyAPI_FUNC\([^)]*\) Ouro_[A-Za-z]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            sub(/.*\) /, "", name)
            names[count] = names[count] " " name
        }
    }

    function remember_type(    name)
    {
        name = ""
        if (match(code, /\} Ouro_[A-Za-z]*;/)) {
            name = substr(code, RSTART + 2, RLENGTH - 3)
        } else if (match(code, /\(\*Ouro_[A-Za-z]*\)/)) {
            name = substr(code, RSTART + 2, RLENGTH - 3)
        }
        if (name != "") {
            type_text[name] = text
            type_code[name] = code
        }
    }

    # ---- writing ---------------------------------------------------------------------------

    END {
        finish()
        for (page = 1; page <= count; page++) {
            write_page(page)
        }
    }

    function escape(string)
    {
        gsub(/\\/, "\\e", string)
        gsub(/-/, "\\-", string)
        gsub(/\n[.]/, "\n\\\\\\&.", string)
        gsub(/\n\047/, "\n\\\\\\&\047", string)
        return string
    }

    # The first clause of the comment, without text in brackets.
    function summary(page,    string)
    {
        string = page_text[page]
        gsub(/\n/, " ", string)
        gsub(/ \([^)]*\)|`/, "", string)
        sub(/[.;:?] .*/, "", string)
        return tolower(substr(string, 1, 1)) substr(string, 2)
    }

    # The declarations without our macro. Their further lines move left by the same width.
    function declarations(string,    result)
    {
        while (match(string, /PyAPI_FUNC\([^)]*\) /)) {
            result = substr(string, RSTART + 11, RLENGTH - 13)
            result = result (result ~ /\*$/ ? "" : " ")
            string = substr(string, 1, RSTART - 1) result substr(string, RSTART + RLENGTH)
        }
        gsub(/\n            /, "\n", string)
        return escape(string)
    }

    function write_code(file, string)
    {
        printf ".nf\n.ft B\n%s.ft R\n.fi\n", string >file
    }

    function write_types(file, page,    rest, name, heading, done)
    {
        rest = page_code[page]
        heading = ".SH TYPES\n"
        while (match(rest, /Ouro_[A-Za-z]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (name in type_code && index(done, " " name " ") == 0) {
                done = done " " name " "
                rest = rest type_code[name]
                printf "%s", heading >file
                heading = ".PP\n"
                write_code(file, escape(type_code[name]))
                if (type_text[name] != "") {
                    printf ".PP\n%s", escape(type_text[name]) >file
                }
            }
        }
    }

    # The pages of the same section of the header.
    function write_see_also(file, page,    other, first)
    {
        printf ".SH SEE ALSO\n" >file
        for (other = 1; other <= count; other++) {
            if (other != page && page_header[other] == page_header[page] &&
                page_section[other] == page_section[page]) {
                split(names[other], first, " ")
                printf ".BR %s (3),\n", first[1] >file
            }
        }
        printf ".BR ouroboros (7)\n" >file
    }

    function write_page(page,    file, all, number, i, list, library)
    {
        number = split(names[page], all, " ")
        file = folder "/" all[1] ".3"
        library = page_header[page] == "ouro_check.h" ? "ouroboros-check" : "ouroboros"
        list = all[1]
        for (i = 2; i <= number; i++) {
            list = list ", " all[i]
            printf ".so man3/%s.3\n", all[1] >(folder "/" all[i] ".3")
            close(folder "/" all[i] ".3")
        }
        printf ".\\\" SPDX-License-Identifier: MIT\n" >file
        printf ".\\\" Written by tools/make-man.sh from %s; do not edit.\n", page_header[page] >file
        printf ".TH %s 3 \"\" \"Ouroboros %s\" \"Library functions\"\n", all[1], version >file
        printf ".SH NAME\n%s \\- %s\n", list, escape(summary(page)) >file
        printf ".SH LIBRARY\npkg\\-config: %s\n", escape(library) >file
        printf ".SH SYNOPSIS\n" >file
        write_code(file, "#include <" page_header[page] ">\n")
        printf ".PP\n" >file
        write_code(file, declarations(page_code[page]))
        printf ".SH DESCRIPTION\n%s", substr(escape("\n" page_text[page]), 2) >file
        write_types(file, page)
        write_see_also(file, page)
        close(file)
    }' "$@"
}

# shellcheck disable=SC2046
pages $(grep -lE '^PyAPI_FUNC\([^)]*\) Ouro_' *.h py/*.h)
