#include <stddef.h>

#include "common/mpi_libraries.h"
#include "mpi_runtime.h"

static const char *const libraries[] = {MPI_LIBRARIES, NULL};
static const char *const bindings[] = {"libmpich", "libpmpi", "libmpifort", "libmpicxx", NULL};
static const char *const launchers[] = {"mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra", NULL};

/* Of Hydra, UCX, libfabric (OFI), hwloc and MPICH itself. */
static const struct environment_variable variables[] = {
	{"PMI_RANK", ENVIRONMENT_LAUNCH, NULL, "the number of the rank"},
	{"PMI_SIZE", ENVIRONMENT_LAUNCH, NULL, "the number of ranks"},
	{"PMI_FD", ENVIRONMENT_LAUNCH, NULL, "the rank's connection to its launcher"},

	{"HYDRA_LAUNCHER", ENVIRONMENT_DEFAULT, "fork",
         "under Slurm, Hydra would start its processes by srun, which waits for room in the "
         "allocation, and leaves ranks without snapshots"},
	{"HYDRA_HOST_FILE", ENVIRONMENT_BATCH, NULL,
         "nodes for Hydra; with --launcher, ranks are on all of them"},
	{"HYDRA_LAUNCHER_EXEC", ENVIRONMENT_BATCH, NULL,
         "remote shell of Hydra's; with --launcher, matchpoint starts its outposts by it"},
	{"HYDRA_*", ENVIRONMENT_BATCH, NULL,
         "settings of Hydra: ranks are started on this machine"},
	{"SLURM_JOB_ID", ENVIRONMENT_BATCH, NULL,
         "set in an allocation of Slurm's; --launcher srun then starts ranks on all its nodes"},
	{"SLURM_JOB_NUM_NODES", ENVIRONMENT_BATCH, NULL, "how many nodes it has"},
	{"SLURM_JOB_NODELIST", ENVIRONMENT_BATCH, NULL, "which"},
	{"SLURM_*", ENVIRONMENT_BATCH, NULL, "Slurm's allocation: Hydra would call srun"},
	{"SLURMD_*", ENVIRONMENT_BATCH, NULL, "the same"},
	{"PBS_NODEFILE", ENVIRONMENT_BATCH, NULL, "machines of a PBS job: Hydra would use them"},
	{"COBALT_NODEFILE", ENVIRONMENT_BATCH, NULL, "the same, Cobalt"},
	{"LOADL_*", ENVIRONMENT_BATCH, NULL, "the same, LoadLeveler"},
	{"LSB_DJOB_HOSTFILE", ENVIRONMENT_BATCH, NULL, "the same, LSF"},
	{"LSB_HOSTS", ENVIRONMENT_BATCH, NULL, "the same, LSF"},
	{"LSB_MCPU_HOSTS", ENVIRONMENT_BATCH, NULL, "the same, LSF"},
	{"PE_HOSTFILE", ENVIRONMENT_BATCH, NULL, "the same, Grid Engine"},

	{"UCX_TLS", ENVIRONMENT_FORCED, "posix,cma,self",
         "shared memory that can be cloned; if it is allowed, large messages are read from their "
         "senders' memory, with pids that the shim translates; other transports use a keeper's pid "
         "or a global id"},
	{"UCX_RNDV_SCHEME", ENVIRONMENT_FORCED, "get_zcopy",
         "with cma: receivers read, senders write nothing into the memory of others"},
	{"UCX_POSIX_USE_PROC_LINK", ENVIRONMENT_FORCED, "n",
         "segments are attached by name, so that a restored world finds its own"},
	{"UCX_POSIX_DIR", ENVIRONMENT_FORCED, "/proc/self/fd/200",
         "the directory of the rank's own world"},
	{"UCX_POSIX_FIFO_SIZE", ENVIRONMENT_FORCED, "16", "small segments"},
	{"UCX_POSIX_SEG_SIZE", ENVIRONMENT_FORCED, "8256", "small segments"},
	{"UCX_POSIX_RX_BUFS_GROW", ENVIRONMENT_FORCED, "17", "small segments"},
	{"UCX_POSIX_HUGETLB_MODE", ENVIRONMENT_FORCED, "n", "huge pages cannot be cloned"},
	{"UCX_ADAPTIVE_PROGRESS", ENVIRONMENT_FORCED, "n", "the same progress in every world"},
	{"UCX_RCACHE_ENABLE", ENVIRONMENT_FORCED, "n", "no hooks on mmap"},
	{"UCX_MEM_EVENTS", ENVIRONMENT_FORCED, "n", "no hooks on mmap"},
	{"UCX_HANDLE_ERRORS", ENVIRONMENT_FORCED, "none", "a crash is left to the scheduler"},
	{"UCX_DEBUG_SIGNO", ENVIRONMENT_FORCED, "0", "no signal is taken from the program"},
	{"UCX_LOG_LEVEL", ENVIRONMENT_FORCED, "error", "no output among the program's"},
	{"UCX_WARN_UNUSED_ENV_VARS", ENVIRONMENT_FORCED, "n", "no output among the program's"},
	{"UCX_MODULES", ENVIRONMENT_FORCED, "cma",
         "no modules for networks: with what they need, they are 40 more mappings, which slow each "
         "fork and each rewind"},
	{"UCX_MODULE_DIR", ENVIRONMENT_FORCED, "/nonexistent",
         "the same for a UCX that does not know UCX_MODULES"},
	{"UCX_VFS_ENABLE", ENVIRONMENT_FORCED, "n", "no thread for a file system that is not used"},
	{"MPIR_CVAR_CH4_CMA_ENABLE", ENVIRONMENT_FORCED, "0",
         "no copies from the pid of a keeper (MPICH 4.3)"},
	{"MPIR_CVAR_CH4_XPMEM_ENABLE", ENVIRONMENT_FORCED, "0",
         "no attachment of a keeper's memory (MPICH 4.3)"},
	{"FI_PROVIDER", ENVIRONMENT_FORCED, "udp",
         "libfabric builds: no shared memory of its own; ranks communicate through MPICH's"},
	{"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS", ENVIRONMENT_FORCED, "8", "small segments"},
	{"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", ENVIRONMENT_FORCED, "8192", "small segments"},

	{"HWLOC_COMPONENTS", ENVIRONMENT_DEFAULT, "-gl,-opencl,-pci,-linuxio,-x86",
         "MPI_Init looks for no displays, cards or disks: half of its time in the kernel; and asks "
         "Linux, not each processor in turn, what processors there are: where cpuid is emulated, "
         "as in virtual machines, a tenth of all its time"},
	{"HWLOC_PLUGINS_PATH", ENVIRONMENT_DEFAULT, "/nonexistent",
         "100 mappings fewer in each rank: with UCX_MODULES, a fork takes a third less time"},
	{NULL, ENVIRONMENT_READ, NULL, NULL},
};

static const struct environment_variable without_peers[] = {
	{"UCX_TLS", ENVIRONMENT_FORCED, "posix,self", "ranks cannot read each other's memory here"},
	{"UCX_RNDV_SCHEME", ENVIRONMENT_FORCED, "auto", "no other scheme works without cma"},
	{"UCX_MODULES", ENVIRONMENT_FORCED, "^*", "none is of use"},
	{NULL, ENVIRONMENT_READ, NULL, NULL},
};

static const struct environment_variable on_machines[] = {
	{"HYDRA_LAUNCHER", ENVIRONMENT_FORCED, "ssh", "processes are started by a remote shell"},
	{"UCX_TLS", ENVIRONMENT_FORCED, "tcp,posix,self", "tcp between machines"},
	{"UCX_RNDV_SCHEME", ENVIRONMENT_FORCED, "auto", "tcp has no other"},
	{"UCX_MODULES", ENVIRONMENT_FORCED, "^*", "none is of use"},
	{NULL, ENVIRONMENT_READ, NULL, NULL},
};

/* Other settings of UCX's shared memory are removed: they could undo those of the table. */
static const char *const forbidden[] = {"UCX_POSIX_", "UCX_MM_", "UCX_CMA_", NULL};

const struct mpi_runtime mpi_runtime_mpich = {
	.name = "MPICH",
	.controlled = "MPICH and libraries of its ABI",
	.libraries = libraries,
	.bindings = bindings,
	.compiler = "mpicc.mpich",
	.launcher = "mpiexec.mpich",
	.launchers = launchers,
	.struck = "TERMINATED WITH THE EXIT STRING",
	.before_signal = "(signal ",
	.rank_variable = "PMI_RANK",
	.variables = variables,
	.without_peers = without_peers,
	.on_machines = on_machines,
	.remote_shell = "HYDRA_LAUNCHER_EXEC",
	.forbidden = forbidden,
	.shared_files = "/dev/shm/mpich_",
};
