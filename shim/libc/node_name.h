/* The names of virtual nodes (common/virtual_nodes.h): gethostname, uname and gethostid, replaced
 * for the program and for MPI, which MPI_Get_processor_name asks. Without virtual nodes they are
 * the C library's. */
#ifndef MATCHPOINT_SHIM_LIBC_NODE_NAME_H
#define MATCHPOINT_SHIM_LIBC_NODE_NAME_H

/* When the shim is loaded: the program may change its environment afterwards. */
void node_name_start(void);

#endif
