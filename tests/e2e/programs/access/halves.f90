! A Fortran program whose ranks write halves of a shared array, or one element too many.
program halves
   use mpi
   use, intrinsic :: iso_c_binding
   implicit none
   integer, parameter :: n = 100
   integer :: rank, win, unit, code, last
   integer(kind=mpi_address_kind) :: bytes
   type(c_ptr) :: base
   real(8), pointer :: array(:)
   character(len=16) :: how

   call get_command_argument(1, how)
   call mpi_init(code)
   call mpi_comm_rank(mpi_comm_world, rank, code)
   bytes = 0
   if (rank == 0) bytes = n * 8
   call mpi_win_allocate_shared(bytes, 8, mpi_info_null, mpi_comm_world, base, win, code)
   call mpi_win_shared_query(win, 0, bytes, unit, base, code)
   call c_f_pointer(base, array, [n])
   call mpi_win_fence(0, win, code)
   last = n / 2
   if (how == 'wrong') last = last + 1
   if (rank == 0) array(1:last) = 1.0d0
   if (rank == 1) array(n / 2 + 1:n) = 2.0d0
   call mpi_win_fence(0, win, code)
   if (rank == 0) print *, sum(array) > 0
   call mpi_win_free(win, code)
   call mpi_finalize(code)
end program
