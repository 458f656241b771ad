! A receive into a local array of a subroutine that returns before the receive is complete.
! With an argument the array is saved, which is right.
subroutine begin(rank, request)
  use mpi
  implicit none
  integer, intent(in) :: rank
  integer, intent(out) :: request
  integer :: own(40), ierror

  own = rank
  call MPI_Irecv(own, 40, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request, ierror)
end subroutine begin

subroutine begin_saved(rank, request)
  use mpi
  implicit none
  integer, intent(in) :: rank
  integer, intent(out) :: request
  integer, save :: own(40)
  integer :: ierror

  own = rank
  call MPI_Irecv(own, 40, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request, ierror)
end subroutine begin_saved

program section_out_of_scope
  use mpi
  implicit none
  integer :: rank, request, ierror
  integer :: given(40)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  if (command_argument_count() > 0) then
    call begin_saved(rank, request)
  else
    call begin(rank, request)
  end if
  given = rank
  call MPI_Send(given, 40, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Finalize(ierror)
end program section_out_of_scope
