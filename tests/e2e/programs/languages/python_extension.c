/* A Python extension that calls MPI, like mpi4py. The interpreter does not use MPI and loads the
 * extension with RTLD_LOCAL, so MPI's symbols are only in the scope of the extension. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <mpi.h>

static PyObject *init(PyObject *self, PyObject *none)
{
	int rank, size;

	(void)self;
	(void)none;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	return Py_BuildValue("(ii)", rank, size);
}

static PyObject *finalize(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	MPI_Finalize();
	Py_RETURN_NONE;
}

static PyObject *send(PyObject *self, PyObject *arguments)
{
	int value, to;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "ii", &value, &to))
		return NULL;
	Py_BEGIN_ALLOW_THREADS MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
	Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *receive(PyObject *self, PyObject *none)
{
	MPI_Status status;
	int value;

	(void)self;
	(void)none;
	Py_BEGIN_ALLOW_THREADS MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
	                                &status);
	Py_END_ALLOW_THREADS return Py_BuildValue("(ii)", value, status.MPI_SOURCE);
}

PyMODINIT_FUNC PyInit_python_extension(void)
{
	static PyMethodDef methods[] = {
		{"init", init, METH_NOARGS, "the rank and how many there are"},
		{"finalize", finalize, METH_NOARGS, NULL},
		{"send", send, METH_VARARGS, "a number to a rank"},
		{"receive", receive, METH_NOARGS, "a number from anybody, and from whom"},
		{NULL, NULL, 0, NULL},
	};
	static struct PyModuleDef module = {
		.m_base = PyModuleDef_HEAD_INIT,
		.m_name = "python_extension",
		.m_size = -1,
		.m_methods = methods,
	};

	return PyModule_Create(&module);
}
