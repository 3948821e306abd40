#!/bin/sh
# The hook of gatecore. Starts the pinned interpreter; when that is gone or fails, answers by itself, in the
# hook's format, and puts it on record.
python=@PYTHON@
home=@HOME_DIR@
sha256=@SHA256@
closed=@CLOSED@
event=${1:-stop}

answer() {
    name() { printf '%s' "$input" | tr -d '\n' | sed -n "s/.*\"$1\" *: *\"\([A-Za-z0-9._-]*\)\".*/\1/p"; }
    [ -d "$home/runs/@LEDGER@" ] || cp -R "$home/unrecorded" "$home/runs/@LEDGER@"
    printf '{"v":1,"ts":"%s","session_id":"%s","prompt_id":"%s","gate1":{"ran":false},"gate3":{"ran":false},"hidden":{"pass":null,"fail":null,"failed_reqs":[],"state":"absent"},"decision":"error","blocked_by":null,"reason":"","error":"the hook could not be run (%s): %s"}\n' \
        "$(date -u +%Y-%m-%dT%H:%M:%S+00:00)" "$(name session_id)" "$(name prompt_id)" "$event" "$1" \
        >>"$home/runs/@LEDGER@/gate.jsonl" || echo "gatecore: this cannot be put on record" >&2
    case $event$closed$input in
    stopyes*'"stop_hook_active":true'* | stopyes*'"stop_hook_active": true'*) ;;
    stopyes*)
        printf '{"decision":"block","reason":"The check that runs when you stop is broken, so your work is not checked. Tell the user to run: gatecore doctor"}'
        exit 0
        ;;
    esac
    printf '{"systemMessage":"gatecore: the gate did not run: %s. See: gatecore doctor"}' "$1"
    exit 0
}

input=$(cat)
[ -x "$python" ] || answer 'its interpreter is gone'
printf '%s' "$input" | "$python" -I -S "$home/app" "$event" "$home" "$sha256" &
pid=$!
trap 'kill -TERM "$pid" 2>/dev/null' TERM INT HUP
while :; do
    wait "$pid"
    code=$?
    kill -0 "$pid" 2>/dev/null || break
done
case $code in
0) exit 0 ;;
9) exit 1 ;;
*) answer "its process ended with exit code $code" ;;
esac
