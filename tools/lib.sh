# Shared by the scripts in this folder: finds and installs packages, locks, configures and builds. Everything it says goes
# to standard error, so that standard output is the program's own. To be sourced, with `root` set to the project's folder.
# shellcheck shell=bash
: "${root:?}"

say() { printf 'sysdl: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 2
}

# lock: one script at a time installs or builds. Held until unlock, or the end of the script.
lock() {
  mkdir -p "$root/build"
  exec 9>"$root/build/.lock"
  if ! flock --nonblock 9; then
    say "waiting for another build in $root/build to end"
    flock 9
  fi
}
unlock() { exec 9>&-; }

# packages GROUP...: the names in packages.txt of these groups.
packages() {
  local group name
  while read -r group name; do
    case " $* " in *" $group "*) printf '%s\n' "$name" ;; esac
  done <"$root/tools/packages.txt"
}

# missing NAME...: those of the packages that are not installed.
missing() {
  local name installed
  installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for name in "$@"; do
    case $'\n'"$installed"$'\n' in *$'\n'"$name installed"$'\n'*) ;; *) printf '%s\n' "$name" ;; esac
  done
}

# unavailable NAME...: those of the packages that apt cannot install.
unavailable() {
  local name
  for name in "$@"; do
    LC_ALL=C apt-cache policy "$name" 2>/dev/null | grep '^  Candidate: [^(]' >/dev/null || printf '%s\n' "$name"
  done
}

can_be_root() {
  [ "$(id -u)" -eq 0 ] && return
  command -v sudo >/dev/null && { [ -t 2 ] || sudo -n true 2>/dev/null; }
}

# as_root COMMAND...: runs it as root, without our lock, and with its output on standard error where somebody looks on,
# else in build/apt.log.
as_root() {
  local -a become=(env)
  [ "$(id -u)" -eq 0 ] || become=(sudo env)
  if [ -t 2 ]; then
    "${become[@]}" DEBIAN_FRONTEND=noninteractive "$@" >&2 9>&-
  else
    "${become[@]}" DEBIAN_FRONTEND=noninteractive "$@" </dev/null >>"$root/build/apt.log" 2>&1 9>&-
  fi
}

# need_packages GROUP...: installs what is missing of these groups.
need_packages() {
  local -a want need
  local -a apt=(apt-get -q -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0)
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "this script sets up Debian 12 and systems like it, and here is no apt-get; install the equivalents of the" \
      "packages in tools/packages.txt by hand, then: cmake --preset release && cmake --build --preset release"
  fi
  mapfile -t want < <(packages "$@")
  mapfile -t need < <(missing "${want[@]}")
  [ ${#need[@]} -gt 0 ] || return 0

  if ! can_be_root; then
    fail "installing what is missing needs root, or sudo that can ask for a password or needs none: ${need[*]}"
  fi
  say "installing ${need[*]}"
  : >"$root/build/apt.log"
  as_root "${apt[@]}" update || say "apt-get update failed; going on with the package lists that are there"
  mapfile -t want < <(unavailable "${need[@]}")
  if [ ${#want[@]} -gt 0 ]; then
    fail "apt knows no package ${want[*]} here, which Debian 12 has: see what /etc/apt/sources.list* name"
  fi
  if ! as_root "${apt[@]}" install --no-install-recommends "${need[@]}"; then
    [ -t 2 ] || tail -n 15 "$root/build/apt.log" >&2
    fail "apt-get could not install ${need[*]}"
  fi
}

# want_packages GROUP...: as need_packages, but only if that asks nobody for anything, and a failure is no matter.
want_packages() {
  local -a want need
  mapfile -t want < <(packages "$@")
  mapfile -t need < <(missing "${want[@]}")
  [ ${#need[@]} -gt 0 ] && [ "$(id -u)" -eq 0 ] || return 0
  say "installing ${need[*]} (to save time; not required)"
  as_root apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends "${need[@]}" ||
    say "going on without"
}

# configure PRESET [-DNAME=VALUE...]: runs cmake if there is no build folder yet, if it was made for another place, or if
# an option has another value there.
configure() {
  local preset=$1 option same=yes
  local dir=$root/build/$1 cache=$root/build/$1/CMakeCache.txt
  shift
  if [ -e "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    say "build/$preset was made for another folder; making it anew"
    rm -rf "$dir"
  fi
  if [ -e "$dir/build.ninja" ]; then
    for option in "$@"; do
      option=${option#-D}
      grep -qx "${option%%=*}:[A-Z]*=${option#*=}" "$cache" || same=no
    done
    [ $same = no ] || return 0
  fi
  mkdir -p "$dir"
  if ! (cd "$root" && cmake --preset "$preset" "$@") >"$dir/configure.log" 2>&1 9>&-; then
    cat "$dir/configure.log" >&2
    fail "cmake could not configure build/$preset"
  fi
}

# build PRESET TARGET...: builds, unless nothing is to be done; says so in one line.
build() {
  local preset=$1
  local dir=$root/build/$1
  shift
  # Re-reading a list of files says nothing of use; what is to be done otherwise does.
  if (cd "$dir" && ninja -n "$@") 2>/dev/null | grep 'no work to do' >/dev/null; then
    return 0
  fi
  say "building $* ($preset)"
  if ! (cd "$dir" && ninja "$@") >&2 9>&-; then
    fail "the build failed"
  fi
}
