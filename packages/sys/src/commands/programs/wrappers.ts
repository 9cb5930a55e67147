/** Programs that start the command in their words: `sudo`, `env`, `timeout`, `xargs`, `find -exec`. */
import {
	inList,
	joinedArgs,
	literalArg,
	mayBeOption,
	parseOptions,
	unknownArg,
	words,
	type Arg,
} from "../args.ts";
import type { Call, Handler, Input, Verdict } from "./context.ts";
import { changesEncoding, isHarmfulVariable, isHarmlessVariable } from "../table/environment.ts";
import { shared } from "../outputs.ts";
import { applyRow } from "./row.ts";
import { checkPlaceholders, mayEnd } from "./tools.ts";
import { row } from "../table/row.ts";

interface Wrapper extends Verdict {
	readonly valued?: string;
	/** Operands before the command: the duration of `timeout`. */
	readonly operands?: number;
	/** Options after which nothing is started. */
	readonly stops?: string;
	/** Options that are not understood here. */
	readonly refuses?: string;
	/** `X=1` before the command. */
	readonly assignments?: boolean;
	/** The other options that were checked: what one that was not does with the next word is not known. */
	readonly flags?: string;
}

const asOther: Partial<Wrapper> = { effect: "exec", danger: "runs as another user" };

const wrappers: Readonly<Record<string, Wrapper>> = {
	sudo: {
		effect: "exec",
		...asOther,
		valued:
			"-u -g -h -p -C -r -t -T -U -R -D --user --group --host --prompt --close-from --role --type --command-timeout --other-user --chroot --chdir",
		refuses: "-e --edit -i --login -s --shell",
		stops: "-l -v -k -K -V --list --validate --remove-timestamp --version",
		assignments: true,
	},
	doas: { effect: "exec", ...asOther, valued: "-u -C -a", refuses: "-s" },
	nice: { effect: "read", valued: "-n --adjustment" },
	ionice: {
		effect: "read",
		valued: "-c -n --class --classdata",
		flags: "-t --ignore",
		refuses: "-p -P -u --pid --pgid --uid",
	},
	chrt: {
		effect: "read",
		valued: "-T -P -D",
		flags: "-b -d -f -i -o -r -R -v",
		operands: 1,
		refuses: "-p --pid -a --all-tasks",
	},
	taskset: { effect: "read", flags: "-c --cpu-list", operands: 1, refuses: "-p --pid" },
	nohup: { effect: "read" },
	timeout: {
		effect: "read",
		valued: "-k -s --kill-after --signal",
		flags: "-f -p -v --foreground --preserve-status --verbose",
		operands: 1,
	},
	stdbuf: { effect: "read", valued: "-i -o -e --input --output --error" },
	setsid: { effect: "read", flags: "-c -f -w --ctty --fork --wait" },
	unbuffer: { effect: "read", flags: "-p" },
	ltrace: { effect: "exec", valued: "-o -e -p -s -n -u -l -a" },
	strace: { effect: "exec", valued: "-o -e -p -s -P -u -E -a -b -I -O -S -U -X" },
	busybox: { effect: "read", stops: "--list --list-full", refuses: "--install" },
	toybox: { effect: "read" },
	chroot: {
		effect: "exec",
		danger: "changes the root directory",
		valued: "--groups --userspec",
		operands: 1,
	},
	unshare: { effect: "exec", valued: "-S -G -R -w --root --wd --setuid --setgid" },
	nsenter: { effect: "exec", danger: "enters another namespace", valued: "-t --target -S -G -r -w" },
	bwrap: { effect: "exec", refuses: "--args" },
	firejail: { effect: "exec" },
	fakeroot: { effect: "exec", valued: "-l -s -i -b" },
	flock: {
		effect: "exec",
		valued: "-w -E --timeout --conflict-exit-code",
		operands: 1,
		refuses: "-c --command",
	},
	caffeinate: { effect: "read", valued: "-t -w", flags: "-d -i -m -s -u" },
	"dbus-run-session": { effect: "exec" },
	"systemd-run": {
		effect: "exec",
		danger: "runs outside of this session",
		valued: "-u -p -E -t -H -M --unit --property --setenv --slice --uid --gid",
	},
	"systemd-inhibit": {
		effect: "read",
		valued: "--what --who --why --mode",
		flags: "--list --no-pager --no-legend",
	},
	"xvfb-run": {
		effect: "exec",
		valued: "-e -f -n -p -s -w --error-file --auth-file --server-num --server-args --wait",
	},
	faketime: { effect: "exec", valued: "-f", operands: 1 },
	torsocks: { effect: "exec", network: true },
	proxychains4: { effect: "exec", network: true, valued: "-f" },
	numactl: { effect: "exec", valued: "-N -m -i -p -C" },
	valgrind: { effect: "exec" },
	rlwrap: { effect: "exec" },
	watch: { effect: "exec", valued: "-n -q --interval --equexit" },
	entr: { effect: "exec" },
	hyperfine: { effect: "exec" },
	prlimit: { effect: "exec", refuses: "-p --pid" },
	cpulimit: { effect: "exec", valued: "-l -p -e -P" },
	gosu: { effect: "exec", danger: "runs as another user", operands: 1 },
	runuser: { effect: "exec", danger: "runs as another user", refuses: "-c --command -l" },
	catchsegv: { effect: "read" },
	time: {
		effect: "read",
		valued: "-f -o --format --output",
		flags: "-a -p -q -v --append --portability --quiet --verbose",
	},
};

export function isWrapper(name: string): boolean {
	return Object.hasOwn(wrappers, name);
}

export function wrapper(call: Call): void {
	const spec = wrappers[call.name];
	if (!spec) return;
	const args = call.args.slice(1);
	const parsed = parseOptions(args, { valued: words(spec.valued ?? ""), stopsAtOperand: true });
	call.run(spec);
	if (call.name === "time")
		for (const { name, value } of parsed.options)
			if (inList(name, words("-o --output"))) call.write(value ?? unknownArg(name));
	if (parsed.uncertain.length > 0)
		call.unknown(`${parsed.uncertain[0]?.text ?? ""} may be an option of ${call.name}`);
	const has = (list: string | undefined): boolean =>
		parsed.options.some(({ name }) => inList(name, words(list ?? "")));
	if (parsed.operands.slice(0, spec.operands ?? 0).some((arg) => arg.value === undefined && !arg.isNumber))
		call.unknown(`only the shell knows which words ${call.name} skips`);
	if (has(spec.stops)) return;
	if (has(spec.refuses)) return call.unknown(`an option of ${call.name} decides what it runs`);
	const unchecked = spec.effect === "read" && parsed.options.find(({ name }) => !isCheckedOption(name, spec));
	if (unchecked) call.unknown(`${unchecked.name} is an option of ${call.name} that is not understood`);
	let start = parsed.firstOperand + (spec.operands ?? 0);
	if (spec.assignments) start += assignmentsOf(call, args.slice(start)).length;
	// watch and entr join their words into one script.
	if (call.name === "entr" && parsed.options.some(({ name }) => name === "-s"))
		return runsJoined(call, args.slice(start));
	if (call.name === "hyperfine") return parsed.operands.forEach((operand) => call.script(operand));
	if (call.name === "watch" && !parsed.options.some(({ name }) => name === "-x" || name === "--exec"))
		return runsJoined(call, args.slice(start));
	if (start < args.length) call.wraps(start + 1);
}

function runsJoined(call: Call, args: readonly Arg[]): void {
	if (args.length === 0) return;
	call.script(joinedArgs(args));
}

function isCheckedOption(name: string, { valued = "", flags = "" }: Wrapper): boolean {
	return /^-\d$/u.test(name) || words(`${valued} ${flags} --help --version`).has(name);
}

/** The words at the start that set variables. */
function assignmentsOf(
	call: Call,
	args: readonly Arg[],
): { readonly name: string; readonly value: string | undefined }[] {
	const found: { name: string; value: string | undefined }[] = [];
	for (const arg of args) {
		const name = /^([A-Za-z_]\w*)=/u.exec(arg.prefix)?.[1];
		if (name === undefined) break;
		if (isHarmfulVariable(name)) call.unknown(`${name} can make programs run others`);
		const value = arg.value?.slice(name.length + 1);
		if (changesEncoding(name, value)) call.unknown(`${name} decides how bash reads text`);
		found.push({ name, value });
	}
	return found;
}

/** `env -i A=1 -u B -S "cmd args" cmd`. */
export const env: Handler = (call) => {
	const args = call.args.slice(1);
	const { options, uncertain, firstOperand } = parseOptions(args, {
		valued: words("-u -a -C -S --unset --argv0 --chdir --split-string"),
		stopsAtOperand: true,
	});
	call.run({ effect: "read" });
	if (uncertain.length > 0) call.unknown(`${uncertain[0]?.text ?? ""} may be an option of env`);
	for (const { name, value } of options) {
		if (/^(?:-C|--c)/u.test(name)) call.unknown("env changes the directory of a command");
		// Many programs are another one under its name: `env -a unxz xzcat a.xz`.
		if (/^(?:-a|--a)/u.test(name)) call.unknown("env gives a command another name");
		if (!/^(?:-S|--s)/u.test(name)) continue;
		// It splits at blanks only: `#` ends its text, but not the words that follow, and `;` is a word.
		if (!/^[\w \t./=:,@%+'"-]*$/u.test(value?.value ?? "$"))
			call.unknown("only env knows which command it splits");
		// What follows is part of the command, also what looks like an option: `env -S sort -o file`.
		const first = args[0]?.value ?? "";
		if (!/^(?:-[iv]*S|--s)/u.test(first)) call.unknown("only env knows which of its words it splits");
		const isJoined = /^-[iv]*S.|=/u.test(first);
		const rest = args.slice(isJoined ? 1 : 2).map((arg) => arg.value ?? "");
		return call.script(literalArg([value?.value ?? "", ...rest.map(quoted)].join(" ")));
	}
	// A single dash means an empty environment.
	const from = args[firstOperand]?.value === "-" ? firstOperand + 1 : firstOperand;
	const assignments = assignmentsOf(call, args.slice(from));
	const start = from + assignments.length;
	// As before a program: what a variable does to it is not known.
	const set = assignments.filter(({ name }) => !isHarmlessVariable(name));
	if (start < args.length) call.wraps(start + 1, { assignments: set });
};

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words that xargs appends come from its input: they may be anything, unless find printed them. */
export const xargs: Handler = (call) => {
	const args = call.args.slice(1);
	const { options, uncertain, firstOperand } = parseOptions(args, {
		valued: words(
			"-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var",
		),
		attached: words("-e -i -l"),
		stopsAtOperand: true,
	});
	call.run({ effect: "read" });
	if (uncertain.length > 0) return call.unknown(`${uncertain[0]?.text ?? ""} may be an option of xargs`);
	for (const { name, value } of options) {
		if (inList(name, words("-a --arg-file")) && value) call.read(value);
		// `--process-slot-var=PATH` makes it look for the program in the directory "0".
		if (inList(name, words("--process-slot-var")) && isHarmfulVariable(value?.value ?? "PATH"))
			call.unknown("xargs sets a variable that can make programs run others");
	}
	const replaced = options.find(({ name }) => name === "-I" || name === "-i" || inReplace(name));
	// With `-a` the words are those of a file, and a later `-d` separates them otherwise.
	const isSeparated =
		options.some(({ name }) => name === "-0" || name === "--null") &&
		!options.some(({ name }) => inList(name, words("-a -d --arg-file --delimiter")));
	const source = call.input;
	if (source.kind === "text")
		for (const word of source.text.value?.split(/[\s\0]+/u) ?? []) call.read(literalArg(word));
	const prefix =
		source.kind === "stream" && source.separated === true && isSeparated ? (source.prefix ?? "") : "";
	const appended: Arg = { text: "…", prefix, several: prefix === "" };
	const input: Input = { kind: "none" };
	const command = args.slice(firstOperand);
	if (command.length === 0) return call.wraps(0, { args: [literalArg("echo"), appended], input });
	// There may be several: `uniq a b` writes the second.
	if (!replaced) return call.wraps(firstOperand + 1, { args: [...command, appended, appended], input });
	// Any word may be the one that is replaced.
	if (replaced.value && replaced.value.value === undefined)
		return call.unknown(`only the shell knows which word xargs replaces by ${replaced.value.text}`);
	const mark = replaced.value?.value || "{}";
	checkPlaceholders(call, command, new RegExp(RegExp.escape(mark), "u"));
	call.wraps(firstOperand + 1, { args: command.map((arg) => filled(arg, mark, prefix)), input });
};

function inReplace(name: string): boolean {
	return name.length > 4 && "--replace".startsWith(name);
}

/** A word with a placeholder in it is known only up to there. */
function filled(arg: Arg, mark: string, prefix: string): Arg {
	if (arg.value === undefined) return arg;
	const at = arg.value.indexOf(mark);
	if (at < 0 || mark === "") return arg;
	return unknownArg(arg.text, at === 0 ? prefix : arg.value.slice(0, at));
}

const findWrites = words("-fprint -fprint0 -fls -fprintf");
const findRuns = words("-exec -execdir -ok -okdir");

export const find: Handler = (call) => {
	const args = call.args.slice(1);
	const starts: Arg[] = [];
	for (const arg of args) {
		if (mayBeOption(arg) ? !/^-[HLPDO]/u.test(arg.value ?? "") : /^[(!]$/u.test(arg.value ?? "")) break;
		if (!mayBeOption(arg)) starts.push(arg);
	}
	starts.forEach((start) => call.read(start));
	let effect: Verdict["effect"] = "read";
	const commands: { start: number; end: number; inDirectory: boolean }[] = [];
	for (let at = 0; at < args.length; at++) {
		const arg = args[at];
		const value = arg?.value;
		if (arg && value === undefined && mayBeOption(arg) && !isValueOfTest(args, at))
			call.unknown(`${arg.text} may be an option of find that runs a program`);
		if (value === undefined) continue;
		if (value === "-delete") {
			effect = "write";
			(starts.length > 0 ? starts : [literalArg(".")]).forEach((start) => call.write(start, true, true));
			// It deletes what links lead to.
			if (args.some((each) => /^-(?:L|follow)$/u.test(each.value ?? ""))) call.write(unknownArg(call.text));
		} else if (findWrites.has(value)) {
			effect = "write";
			const target = args[at + 1];
			if (target) call.write(target);
		} else if (
			value.startsWith("-") &&
			!findWords.has(value) &&
			!/^-(?:newer[aBcm][aBcmt]|O\d)$/u.test(value)
		) {
			if (isValueOfTest(args, at)) continue;
			effect = "exec";
			// A rule may allow it: `find -files0-from list` shows names of the list, and starts programs with them.
			const next = args[at + 1];
			if (next && !mayBeOption(next)) call.read(next);
			if (value === "-files0-from") call.unknown("only find knows where it searches");
		} else if (findRuns.has(value)) {
			const found = args.findIndex((each, index) => index > at && endsExec(args, each, index));
			const end = found < 0 ? args.length : found;
			commands.push({ start: at + 1, end, inDirectory: value.endsWith("dir") });
			const open = args.findIndex((each, index) => index > at && index < end && mayEnd(each));
			if (args[open]?.several) call.unknown(`${args[open].text} may end the command of find`);
			at = open < 0 ? end : open;
		}
	}
	call.run({ effect });
	const under =
		starts.length === 0 ? "." : (starts.find((start) => start.value === undefined) ?? starts[0])?.prefix;
	for (const { start, end, inDirectory } of commands) {
		const prefix = inDirectory ? "./" : (under ?? "");
		if (inDirectory) call.unknown("find runs a command in other directories");
		checkPlaceholders(call, args.slice(start, end), /\{\}/u);
		const command = args.slice(start, end).map((arg) => filled(arg, "{}", prefix));
		// All files that are found, in one call.
		if (args[end]?.value === "+") command.push(...command.slice(-1));
		call.wraps(start + 1, { args: command, input: shared(call.input) });
	}
};

function endsExec(args: readonly Arg[], arg: Arg, index: number): boolean {
	return arg.value === ";" || (arg.value === "+" && args[index - 1]?.value === "{}");
}

/** `-name "$x"`: the word after such a test is its value, whatever it is. */
const findTests = words(
	"-name -iname -path -ipath -wholename -regex -iregex -type -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -samefile -printf -lname -fstype -newermt",
);

/** Those that neither run nor write anything, and those that are handled. */
const findWords = new Set(
	[...findTests, ...findRuns].concat(
		"- -- -H -L -P -xtype -empty -iwholename -ilname -regextype -newer -readable -writable -executable -nouser -nogroup -prune -print -print0 -ls -quit -o -or -a -and -not -true -false -depth -d -xdev -mount -follow -noleaf -ignore_readdir_race -daystart -warn -nowarn -used -context -help -version".split(
			" ",
		),
	),
);

function isValueOfTest(args: readonly Arg[], at: number): boolean {
	const arg = args[at];
	// One word, also from a pattern: `*` may be two names, `+` and `-delete`.
	if (!arg || arg.several || /^[^.]*[*?\]]$/u.test(arg.glob ?? "")) return false;
	// In `-name -name "$x"`, the second one is a value itself.
	return findTests.has(args[at - 1]?.value ?? "") && !findTests.has(args[at - 2]?.value ?? "");
}

/** `parallel cmd ::: words`, with its many ways to build a command. */
export const parallel: Handler = (call) => {
	call.run({ effect: "exec" });
	call.unknown("only parallel knows which commands it builds");
};

/** `command`, `builtin` and `exec` of the shell. */
export const commandBuiltin: Handler = (call) => {
	const { options, firstOperand, uncertain } = parseOptions(call.args.slice(1), {
		valued: words("-a"),
		stopsAtOperand: true,
	});
	call.run({ effect: "read" });
	if (uncertain.length > 0) call.unknown(`${uncertain[0]?.text ?? ""} may be an option of ${call.name}`);
	if (call.name === "command" && options.some(({ name }) => name === "-v" || name === "-V")) return;
	if (firstOperand + 1 < call.args.length) call.wraps(firstOperand + 1);
};

/** `ssh host command`: the command runs elsewhere, so only the connection is listed. */
export const rsync: Handler = (call) => {
	const isRemote = call.args.some(
		(arg) => /^[^/]*:/u.test(arg.value ?? ":") && !(arg.value ?? "").startsWith("-"),
	);
	const known = row("write", {
		writes: "last",
		runs: "-e --rsh --rsync-path",
		// Not those that follow links, delete what is read, or take rules from files that others name (`-F`).
		options:
			"-vqacrRbulHpEAXogtDSnWxIhiz#CPjkLd0O --verbose --quiet --archive --checksum --recursive --relative --backup --update --links --hard-links --perms --times --owner --group --dry-run --whole-file --delete --delete-after --delete-before --delete-excluded --force --existing --ignore-existing --size-only --compress --cvs-exclude --progress --partial --human-readable --itemize-changes --stats --numeric-ids --prune-empty-dirs --copy-links --dirs --mkpath --no-perms --no-owner --no-group --omit-dir-times",
		valued:
			"-B --exclude --include --exclude-from --include-from --files-from --chmod --bwlimit --timeout --port",
		output: "-T --log-file --backup-dir --partial-dir --temp-dir --compare-dest --link-dest --copy-dest",
		...(isRemote ? { network: true, danger: "exchanges files with another machine" } : {}),
	});
	const write: Call["write"] = (arg) => call.write(arg, true);
	applyRow({ ...call, write }, known, undefined, isRemote ? { effect: "exec" } : {});
	const last = call.args.at(-1);
	if (last) call.arrives(last);
};
