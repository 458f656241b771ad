! Rank 0 crashes in a subroutine if rank 2's message comes first.
program fortran_crash
  use mpi
  implicit none
  integer :: rank, from, i, error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank > 0) then
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
  else
    do i = 1, 2
      call MPI_Recv(from, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! first
      if (i == 1 .and. from == 2) call divide_by_zero()
    end do
  end if
  call MPI_Finalize(error)

contains

  subroutine divide_by_zero()
    integer, volatile :: zero, quotient

    zero = 0
    quotient = 7 / zero ! crash
  end subroutine
end program
