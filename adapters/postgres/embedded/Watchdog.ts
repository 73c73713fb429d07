/**
 * Waits for the end of its input, which comes with "left", with "leave" or with the death of the user it watches; unless the
 * user left by itself, stops the server when no other user lives. Arguments: users folder, own user file, data folder.
 */
export const script = `
LC_ALL=C TZ=UTC
export LC_ALL TZ
trap '' HUP INT TERM
set -f
users=$1 me=$2 data=$3 end=died
while read -r word; do end=$word; done
[ "$end" != left ] || exit 0

started() {
  if [ -e /proc/self/stat ]; then
    set -- "$(cat "/proc/$1/stat")"
    set -- \${1##*) }
    case $1 in [ZX]* | "") ;; *) echo "\${20}" ;; esac
  else
    set -- $(ps -o stat=,lstart= -p "$1")
    case $1 in Z* | "") ;; *) echo "$2-$3-$4-$5-$6" ;; esac
  fi
}

serves() {
  if [ -e /proc/self/stat ]; then
    set -- "$(tr '\\000' ' ' <"/proc/$1/cmdline")"
  else
    set -- "$(ps -ww -o command= -p "$1")"
  fi
  case " $1 " in *" -D $data -c cluster_name=gatehouse "*) return 0 ;; esac
  return 1
}

# Read before the folder goes: what starts afterwards is not ours to stop.
pid= tries=0
read -r pid <"$data/postmaster.pid"
# A server which was just started has not written its pid file yet, and the one before may have left one.
while [ "$end" = died ] && ! serves "$pid" && [ "$tries" -lt 40 ]; do
  sleep 0.05
  tries=$((tries + 1))
  read -r pid <"$data/postmaster.pid"
done

rm -f "$users/$me"
for other in $(ls "$users"); do
  pid_of=\${other%%.*} rest=\${other#*.}
  [ "$(started "$pid_of")" = "\${rest%%.*}" ] || rm -f "$users/$other"
done
rmdir "$users" || exit 0

[ -n "$pid" ] && serves "$pid" || exit 0
kill -INT "$pid"
tries=0
while serves "$pid" && [ "$tries" -lt 400 ]; do
  sleep 0.05
  tries=$((tries + 1))
  [ "$tries" -ne 200 ] || kill -QUIT "$pid"
done
exit 0
`
