! Fortran with `use mpi_f08`: rank 0 takes the first message from any source, the second
! from rank 1. The finding must have the lines of this file.
program race
  use mpi_f08
  implicit none
  integer :: rank, got
  type(MPI_Comm) :: comm
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  if (rank == 0) then
     call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm, status)
     call MPI_Recv(got, 1, MPI_INTEGER, 1, 0, comm, MPI_STATUS_IGNORE) ! from 1
  else
     call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, comm)
  end if
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program race
