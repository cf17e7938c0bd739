/* SPDX-License-Identifier: MIT */
/* A binary contains many bugs; OURO_MUTANT=n switches one of them on. With OURO_MUTANT_REACH=file
 * none is on. The file, which must be large enough, then gets a byte for each bug whose place is
 * reached. */
#include "switch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int ouro_mutant_on = -1;
unsigned char *ouro_mutant_reach;

/* Runs before the constructors of the library. */
__attribute__((constructor(101))) static void
read_switch(void)
{
    const char *number = getenv("OURO_MUTANT"), *path = getenv("OURO_MUTANT_REACH");
    if (number != NULL) {
        ouro_mutant_on = atoi(number);
    }
    int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
                           MAP_SHARED, file, 0);
        ouro_mutant_reach = bytes == MAP_FAILED ? NULL : bytes;
        close(file);
    }
}
