# Copyright matchpoint developers. See the top-level LICENSE file for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack.package import *


class Matchpoint(CMakePackage):
    """Finds what an MPI program does when its messages arrive in another order: it runs an
    unmodified MPICH program under control and explores every match of its wildcard receives,
    going back by checkpoints of the ranks."""

    # The sources are taken from a checkout, no address is built in:
    #   spack dev-build --source-path CHECKOUT matchpoint@main
    # To have Spack fetch them, add `git = "..."` and `branch="main"`.

    license("Apache-2.0")

    version("main")

    variant("otf2", default=False, description="Traces of interleavings (--otf2)")
    variant("readline", default=True, description="Lines of debug are edited (GPL)")
    variant("web", default=True, description="Sessions of debug in a browser (--web)")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpich@4.0:", type=("build", "link", "run"))
    depends_on("glib@2.68:")
    depends_on("libuv@1.40:")
    depends_on("sqlite@3.34:")
    depends_on("json-glib")
    depends_on("elfutils")
    depends_on("otf2@3:", when="+otf2")
    depends_on("readline@8:", when="+readline")
    depends_on("libwebsockets@4.1:", when="+web")

    requires("target=x86_64:", msg="matchpoint knows x86-64 alone")
    requires("platform=linux", msg="matchpoint needs Linux")

    generator("ninja")

    def cmake_args(self):
        mpich = self.spec["mpich"].prefix.bin
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("MATCHPOINT_OTF2", "otf2"),
            self.define_from_variant("MATCHPOINT_READLINE", "readline"),
            self.define_from_variant("MATCHPOINT_WEB", "web"),
            # Debian's names, which CMakeLists.txt looks for, are not Spack's.
            self.define("MPICC", mpich.mpicc),
            self.define("MPIEXEC", mpich.mpiexec),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("CMAKE_PREFIX_PATH", self.prefix)
