! One-sided communication and MPI-IO in Fortran, with the module that is defined. Each rank prints
! what it got.
program fortran_windows
#ifdef MPI_F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: few = 5
  integer :: rank, ranks, ierr, i
  integer :: memory(few), got(few), mine(few)
  integer, pointer :: given(:)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place, attribute
  integer(kind=MPI_OFFSET_KIND) :: offset
  type(c_ptr) :: base
  logical :: flag
#ifdef MPI_F08
  type(MPI_Win) :: window, allocated
  type(MPI_File) :: file
  type(MPI_Request) :: request
  type(MPI_Status) :: status
#else
  integer :: window, allocated, file, request, status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  memory = -1
  got = 0
  mine = [(rank * 10 + i, i = 1, few)]
  bytes = few * 4
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  place = 1
  call MPI_Put(mine, few - 1, MPI_INTEGER, mod(rank + 1, ranks), place, few - 1, MPI_INTEGER, &
               window, ierr)
  call MPI_Win_fence(0, window, ierr)
  print *, rank, 'put', memory
  place = 0
  call MPI_Win_lock(MPI_LOCK_SHARED, mod(rank + 1, ranks), 0, window, ierr)
  call MPI_Rget(got, few, MPI_INTEGER, mod(rank + 1, ranks), place, few, MPI_INTEGER, window, &
                request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Win_unlock(mod(rank + 1, ranks), window, ierr)
  print *, rank, 'got', got
  call MPI_Win_get_attr(window, MPI_WIN_SIZE, attribute, flag, ierr)
  print *, rank, 'size', attribute, flag
  call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, attribute, flag, ierr)
  print *, rank, 'unit', attribute, flag
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attribute, flag, ierr)
  print *, rank, 'tags', attribute, flag
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, i, attribute, ierr)
  attribute = 77 + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, i, attribute, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, i, attribute, flag, ierr)
  print *, rank, 'attribute', attribute, flag
  call MPI_Win_free(window, ierr)

  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, allocated, ierr)
  call c_f_pointer(base, given, [few])
  given = rank
  call MPI_Win_lock_all(0, allocated, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Accumulate(mine, few, MPI_INTEGER, mod(rank + 1, ranks), place, few, MPI_INTEGER, &
                      MPI_SUM, allocated, ierr)
  call MPI_Win_flush_all(allocated, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_sync(allocated, ierr)
  print *, rank, 'sum', given
  call MPI_Win_unlock_all(allocated, ierr)
  call MPI_Win_free(allocated, ierr)

  call MPI_File_open(MPI_COMM_WORLD, 'fortran_file', ior(MPI_MODE_RDWR, MPI_MODE_CREATE), &
                     MPI_INFO_NULL, file, ierr)
  offset = rank * few * 4
  call MPI_File_write_at_all(file, offset, mine, few, MPI_INTEGER, status, ierr)
  call MPI_File_sync(file, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  offset = mod(rank + 1, ranks) * few * 4
  call MPI_File_iread_at(file, offset, got, few, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, status, ierr)
  print *, rank, 'read', got
  call MPI_File_get_size(file, offset, ierr)
  print *, rank, 'bytes', offset
  call MPI_File_close(file, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_File_delete('fortran_file', MPI_INFO_NULL, ierr)
  call MPI_Finalize(ierr)
end program fortran_windows
