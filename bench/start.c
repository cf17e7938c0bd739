/* SPDX-License-Identifier: MIT */
/* The executable of a peer: everything else is in its shared object, as the container
 * types of an extension module are. */
int bench_main(int argc, char **argv);

int
main(int argc, char **argv)
{
    return bench_main(argc, argv);
}
