! Built with AddressSanitizer. If rank 2's message comes first, rank 0 stores behind its array, but
! not with the argument "right".
program sanitized_f
  use mpi
  implicit none
  integer :: rank, size, from, first, i, error
  integer, allocatable, volatile :: array(:)
  character(10) :: word

  call get_command_argument(1, word)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  if (rank > 0) then
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
  else
    first = 0
    do i = 1, size - 1
      call MPI_Recv(from, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! first
      if (i == 1) first = from
    end do
    allocate (array(2))
    if (word == 'right') first = 1
    array(first + 1) = 1 ! overflow
    deallocate (array)
    print *, 'done'
  end if
  call MPI_Finalize(error)
end program
