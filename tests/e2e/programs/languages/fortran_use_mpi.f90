! Fortran with `use mpi`: rank 0 takes the first message from any source, the second
! from rank 1. The finding must have the lines of this file.
program race
  use mpi
  implicit none
  integer :: rank, got
  integer :: comm, ierror, status(MPI_STATUS_SIZE)

  call MPI_Init(ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_rank(comm, rank, ierror)
  if (rank == 0) then
     call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm, status, ierror)
     call MPI_Recv(got, 1, MPI_INTEGER, 1, 0, comm, MPI_STATUS_IGNORE, ierror) ! from 1
  else
     call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, comm, ierror)
  end if
  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize(ierror)
end program race
