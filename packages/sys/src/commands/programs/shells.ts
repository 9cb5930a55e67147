/** Shells and the builtins that run text or change the shell itself. */
import { joinedArgs, literalArg, mayBeOption, parseOptions, words, type Arg } from "../args.ts";
import {
	changesEncoding,
	isEvaluatedVariable,
	isHarmfulVariable,
	isHarmlessVariable,
} from "../table/environment.ts";
import { mayBeOfProcess } from "../findings.ts";
import type { Call, Handler } from "./context.ts";

/** Parsed as bash: the language is the same, or smaller. */
export const shell: Handler = (call) => {
	const args = call.args.slice(1);
	const { options, operands, uncertain, firstOperand } = parseOptions(args, {
		valued: words("-O -o +O +o --rcfile --init-file"),
		stopsAtOperand: true,
	});
	// `bash -n +n` takes `-n` back.
	const open = uncertain[0] ?? (operands[0]?.prefix.startsWith("+") ? operands[0] : undefined);
	if (open) {
		call.unknown(`${open.text} may be an option of ${call.name}`);
		return call.run({ effect: "exec" });
	}
	const names = new Set(options.map(({ name }) => name));
	if (names.has("--version") || names.has("--help")) return call.run({ effect: "read" });
	if (options.some(({ name, value }) => changesReading(name, value)))
		call.unknown(`an option of ${call.name} changes how it reads commands`);
	if (["-i", "-l", "--login", "--rcfile", "--init-file"].some((name) => names.has(name)))
		call.unknown(`${call.name} reads its start-up files`);
	if (names.has("-c")) {
		call.run({ effect: "read" });
		checkDialect(call, operands[0]);
		for (const operand of operands.slice(1)) call.read(operand);
		return call.script(operands[0]);
	}
	const [script] = operands;
	if (script && !names.has("-s")) {
		call.read(script);
		// `bash -n` only checks the syntax.
		return call.run({
			effect: names.has("-n") && args.slice(firstOperand + 1).length === 0 ? "read" : "exec",
		});
	}
	if (call.input.kind === "text") {
		call.run({ effect: "read" });
		checkDialect(call, call.input.text);
		// Its commands read on where it is, or change where it reads on: `head -c 3`, `exec < file`.
		call.unknown(`the commands of ${call.name} can change what it runs next`);
		return call.script(call.input.text, { input: { kind: "stream" } });
	}
	call.unknown(`${call.name} runs what it reads from its input`);
	call.run({ effect: "exec" });
};

/** Options of `set` and `shopt` with which a script does something else than it says. */
const meanings =
	/expand_aliases|extglob|lastpipe|allexport|posix|noglob|physical|keyword|braceexpand|extdebug|assoc_expand_once|globasciiranges|cdable_vars|autocd|sourcepath|hist(?:expand|ory)|nullglob|dotglob|globstar|nocaseglob|localvar|compat/u;

/** `bash -k -c 'ls LD_PRELOAD=./x'`: each word that looks like one sets a variable of the program. */
function changesReading(name: string, value: Arg | undefined): boolean {
	if (/^--(?!no(?:rc|profile)$|verbose$|login$|rcfile$|init-file$)/u.test(name)) return true;
	return /^-[akBPO]$/u.test(name) || (name === "-o" && meanings.test(value?.value ?? "posix"));
}

/** Syntax of bash that dash reads as something else: `$'a\'; rm b #'` runs rm there. */
const bashOnly =
	/\$['"]|[<>]\(|\[\[|\(\(|<<<|&>|\|&|;;?&|\bfunction\b|\bselect\b|\{[^}\s]*(?:,|\.\.)|\w\+?=\(/u;

function checkDialect(call: Call, script: Arg | undefined): void {
	if (!/^r?bash$/u.test(call.name) && bashOnly.test(script?.value ?? ""))
		call.unknown(`${call.name} may read this script differently than bash`);
}

/** Other shells, whose language differs from bash. */
export const otherShell: Handler = (call) => {
	call.run({ effect: "exec" });
	if (call.args.some((arg) => arg.value === undefined || /^-\w*c/u.test(arg.value)) || call.args.length === 1)
		call.unknown(`scripts of ${call.name} are not understood`);
};

export const evalBuiltin: Handler = (call) => {
	call.run({ effect: "read" });
	const args = call.args.slice(call.args[1]?.value === "--" ? 2 : 1);
	if (args.length === 0) return;
	call.script(joinedArgs(args), { sameShell: true });
};

/** Runs a file in this shell: it may change everything that is known of it. */
export const source: Handler = (call) => {
	call.run({ effect: "exec" });
	const file = call.args[1];
	if (file) call.read(file);
	call.state.forgetAll();
	call.state.directories = undefined;
	call.unknown(`${file?.text ?? "a file"} runs inside of this shell`);
};

/** Conditions of a trap after which the shell ends. */
const atEnd = /^(?:EXIT|0|(?:SIG)?(?:HUP|INT|QUIT|TERM)|1|2|3|15)$/iu;

export const trap: Handler = (call) => {
	const { operands, options, uncertain } = parseOptions(call.args.slice(1), { stopsAtOperand: true });
	call.run({ effect: "read" });
	// One word may become several: a command and a signal.
	const isOpen = ({ value, several, glob }: Arg): boolean =>
		value === undefined && (several || glob !== undefined);
	if (uncertain.some(isOpen) || operands.some(isOpen)) return call.script(undefined);
	if (options.length > 0 || operands.length < 2) return;
	const [action] = operands;
	if (action?.value === "-" || action?.value === "") return;
	// Others run between two commands, which then start in another directory or with other variables.
	if (operands.slice(1).some((arg) => !atEnd.test(arg.value ?? "")))
		call.unknown("a trap runs between other commands");
	call.script(action, { isLater: true });
};

/** A part that is neither empty nor `.` or `..`. */
const hasName = /(?:^|\/)(?!\.{0,2}(?:\/|$))/u;

export const cd: Handler = (call) => {
	call.run({ effect: "read" });
	const { state } = call;
	const { operands, options } = parseOptions(call.args.slice(1));
	const [target, ...others] = operands;
	const before = state.directories;
	for (const operand of operands) call.visits(operand);
	if (target && mayBeOfProcess(target)) call.unknown(`${target.text} may be the directory of a process`);
	if (call.name !== "cd" && call.name !== "pushd") state.directories = undefined;
	else if (options.some(({ name }) => name !== "-L") || others.length > 0) state.directories = undefined;
	else if (!target) state.directories = call.name === "cd" ? [call.home] : undefined;
	else if (target.value === undefined || target.value === "-" || target.value.startsWith("+"))
		state.directories = undefined;
	// Where the name without the link is no directory, bash goes to what the system finds behind it: `cd link/../x`.
	else if (hasName.test(target.value) && call.mayPassLink(target.value)) state.directories = undefined;
	else state.directories = resolved(target.value, before);
};

function resolved(target: string, from: readonly string[] | undefined): readonly string[] | undefined {
	if (target.startsWith("/")) return [normal(target)];
	return from?.map((directory) => normal(`${directory}/${target}`));
}

function normal(path: string): string {
	const kept: string[] = [];
	for (const name of path.split("/")) {
		if (name === "..") kept.pop();
		else if (name !== "" && name !== ".") kept.push(name);
	}
	return `/${kept.join("/")}`;
}

/** `export`, `declare` and their kin. */
export const declare: Handler = (call) => {
	const args = call.args.slice(1);
	let isFunction = false;
	// What is assigned later has no effect, in a later command too.
	if (call.name === "readonly" ? !onlyLists(args) : args.some((arg) => /^-\w*r/u.test(arg.prefix)))
		call.unknown(`${call.name} makes later assignments fail`);
	// With these it fails, or only prints: what it seems to assign stays as it was.
	const isVoid =
		(call.name === "local" && !call.state.isInFunction) ||
		args.some((arg) => /^[-+]\w*[^aAgxrt\W]/u.test(arg.prefix));
	const isArray = args.some((arg) => /^-\w*[aA]/u.test(arg.prefix));
	const isWithheld = args.some((arg) => /^\+\w*x/u.test(arg.prefix));
	for (const arg of args) {
		const { prefix } = arg;
		if (/^-\w*[fF]/u.test(prefix)) isFunction = true;
		// An integer or a reference is evaluated at each assignment, letters may change their case.
		if (/^[-+]\w*[inluc]/u.test(prefix) && call.name !== "export")
			call.unknown(`${call.name} ${prefix} evaluates values`);
		const name = /^[A-Za-z_]\w*/u.exec(prefix)?.[0];
		if (name === undefined) {
			if (arg.value === undefined) assignsAnything(call, arg);
			continue;
		}
		if (isArray) call.state.arrays.add(name);
		if (isWithheld && isHarmfulVariable(name)) call.unknown(`programs no longer get ${name}`);
		// The value of an array is expanded once more if it looks like a list; what exists may be an array.
		const mayBeArray = call.name === "local" ? call.state.arrays.has(name) : call.name !== "export";
		const value = arg.value?.slice(name.length + 1);
		if (
			mayBeArray &&
			prefix.includes("=") &&
			!arg.isNumber &&
			(value === undefined || /^\(.*[$`[]/su.test(value))
		)
			call.unknown(`${call.name} evaluates the value of ${name} if it is an array`);
		assignsName(call, arg, name);
		if (isVoid) call.state.forget([name]);
	}
	// An exported variable can change what later commands do.
	const exports =
		(call.name === "export" && !onlyLists(args)) || args.some((arg) => /^-\w*x/u.test(arg.prefix));
	const isHarmless = args.every(
		(arg) => arg.prefix.startsWith("-") || isHarmlessVariable(/^\w+/u.exec(arg.prefix)?.[0] ?? ""),
	);
	call.run({ effect: exports && !isHarmless ? "exec" : "read" });
	if (isFunction && call.name === "export") call.unknown("a function is exported to other programs");
};

function onlyLists(args: readonly Arg[]): boolean {
	return args.every((arg) => arg.value === "-p");
}

function assignsName(call: Call, arg: Arg, name: string): void {
	const rest = arg.prefix.slice(name.length);
	if (isHarmfulVariable(name) && (rest.startsWith("=") || rest.startsWith("+=")))
		call.unknown(`${name} can make programs run others`);
	// A pattern ends the known start of a word before its bracket, a quote hides it in the text.
	if ([rest, arg.text.slice(name.length)].some((index) => index.startsWith("[") && !plainIndex.test(index)))
		call.unknown("the index of an array is evaluated");
	if (isEvaluatedVariable(name) && !(arg.value === undefined ? arg.isNumber : /^=?\d*$/u.test(rest)))
		call.unknown(`bash evaluates what is assigned to ${name}`);
	const value = arg.value !== undefined && rest.startsWith("=") ? rest.slice(1) : undefined;
	if (value !== undefined || arg.text.includes("=~"))
		call.read(value === undefined ? arg : literalArg(value));
	if (rest !== "" && changesEncoding(name, value)) call.unknown(`${name} decides how bash reads text`);
	const isClean = value !== undefined && !/[$`[]/u.test(value);
	call.state.assign(
		name,
		value === undefined ? undefined : { value, text: value, prefix: value, several: false },
		isClean && call.state.numbers.has(name),
	);
}

/** A number, or all elements. */
const plainIndex = /^\[(?:\d+|[@*])\](?:\+?=|$)/u;

function assignsAnything(call: Call, arg: Arg): void {
	call.state.forgetAll();
	call.unknown(`only the shell knows which variable ${arg.text} is`);
}

/** `read`, `mapfile`, `getopts`, `unset`, `printf -v`, `wait -p`, `let`, `test -v`: their words are names, which bash evaluates. */
export const assigns: Handler = (call) => {
	call.run({ effect: "read" });
	const args = call.args.slice(1);
	const names = namesOf(call.name, args);
	for (const arg of names) {
		const name = /^[A-Za-z_]\w*/u.exec(arg.prefix)?.[0];
		if (arg.value === undefined || /[$`[]/u.test(arg.value)) {
			call.state.forgetAll();
			if (
				arg.value === undefined ? arg.isNumber !== true : !plainIndex.test(arg.value.slice(name?.length ?? 0))
			)
				call.unknown(`${call.name} evaluates ${arg.text}`);
		}
		if (call.name === "unset" && call.state.functions.has(arg.value ?? name ?? ""))
			call.unknown(`unset decides whether ${arg.text} is a function`);
		if (name === undefined) continue;
		if (call.name !== "test" && call.name !== "[") {
			if (isHarmfulVariable(name)) call.unknown(`${name} can make programs run others`);
			if (call.name !== "unset" && changesEncoding(name, undefined))
				call.unknown(`${name} decides how bash reads text`);
			if (isEvaluatedVariable(name)) call.unknown(`bash evaluates what is assigned to ${name}`);
		}
		if (call.name !== "test" && call.name !== "[") call.state.assign(name, undefined, false);
	}
	if (/^(?:mapfile|readarray)$/u.test(call.name) && args.some((arg) => /^-\w*C/u.test(arg.prefix)))
		call.unknown(`${call.name} -C runs a command`);
	if (call.name === "printf" && names.length > 0) for (const arg of args) call.read(arg);
	if (call.name === "printf" && mayCount(args)) call.unknown("printf %n assigns a variable");
	if (call.name === "let") call.unknown("let evaluates its words");
	if (call.name === "unset" && args.some((arg) => /^-\w*f/u.test(arg.prefix)))
		call.unknown("unset decides whether a name is a function");
};

/** `%n` assigns a number to the variable that a word names: `PATH`, or `a[$(rm x)]`. */
function mayCount(args: readonly Arg[]): boolean {
	if (/%[^%a-zA-Z]*[hjlLtz]*n/u.test(args.map((arg) => arg.value ?? arg.text).join(" "))) return true;
	const [format, ...rest] = args;
	if (!format || format.value !== undefined || format.isNumber) return false;
	return rest.some(({ value, isNumber }) =>
		value === undefined ? isNumber !== true : isHarmfulVariable(value) || value.includes("["),
	);
}

function namesOf(program: string, args: readonly Arg[]): readonly Arg[] {
	if (program === "printf") {
		// A format that only the shell knows may be `-va[$(rm x)]`, also after another `-v`.
		const { options, uncertain } = parseOptions(args, { valued: words("-v"), stopsAtOperand: true });
		return options.flatMap(({ name, value }) => (name === "-v" && value ? [value] : [])).concat(uncertain);
	}
	if (program === "test" || program === "[")
		return args.filter((arg, index) => isTested(arg, args[index - 1]));
	if (program === "read") {
		const { operands, options, uncertain } = parseOptions(args, {
			valued: words("-a -d -i -n -N -p -t -u"),
		});
		const arrays = options.flatMap(({ name, value }) => (name === "-a" && value ? [value] : []));
		return [...operands, ...arrays, ...uncertain];
	}
	if (program === "wait") {
		const { options, uncertain } = parseOptions(args, { valued: words("-p") });
		return options.flatMap(({ name, value }) => (name === "-p" && value ? [value] : [])).concat(uncertain);
	}
	if (/^(?:mapfile|readarray)$/u.test(program)) {
		const { operands, uncertain } = parseOptions(args, { valued: words("-d -n -O -s -u -C -c") });
		return [...operands, ...uncertain];
	}
	return args.filter((arg) => !(arg.value ?? "").startsWith("-"));
}

/** The name after `-v`, which a word that only the shell knows may be, or contain. */
function isTested(arg: Arg, before: Arg | undefined): boolean {
	if (arg.value === undefined && arg.several && !arg.isNumber) return true;
	// The names of files may be `-v` and `a[$(rm x)]`.
	if (mayBeOption(arg) && /[*?\]]$/u.test(arg.glob ?? "")) return true;
	if (!before) return false;
	if (before.value !== undefined) return /^-[vR]$/u.test(before.value);
	return mayBeOption(before) && (arg.value === undefined || arg.value.includes("["));
}

/** Builtins that decide which program a name means. */
export const redefines: Handler = (call) => {
	const isListing =
		call.args.length === 1 ||
		(call.name === "alias" && call.args.every((arg) => arg.value !== undefined && !arg.value.includes("=")));
	call.run({ effect: isListing ? "read" : "exec" });
	if (!isListing) call.unknown(`${call.name} decides which program a name means`);
};

/** `set` and `shopt`: options of the shell. */
export const shellOptions: Handler = (call) => {
	const changesMeaning = call.args.some(
		({ value = "extglob" }) => meanings.test(value) || /^[-+][a-zA-Z]*[akBPH]/u.test(value),
	);
	call.run({ effect: "read" });
	// `set -- ~/.netrc; cat $1`
	for (const arg of call.args.slice(1)) call.read(arg);
	if (call.name === "set" && call.args.length === 1) return;
	if (changesMeaning && !(call.name === "set" && call.args[1]?.value === "--"))
		call.unknown(`${call.name} changes how this shell reads commands`);
};

/** Ending one's own processes is ordinary work; ending all of them, or the first one, is not. */
export const kill: Handler = (call) => {
	if (call.args.length === 2 && call.args[1]?.value === "-l") return call.run({ effect: "read" });
	const targets = call.args.slice(1).filter((arg, index) => index > 0 || !(arg.value ?? "").startsWith("-"));
	const endsAll = targets.some(({ value }) => value === "-1" || value === "1");
	call.run({ effect: "exec", danger: endsAll ? "ends every process" : undefined });
};

/** `jobs -x` runs a command, with process ids in place of job numbers. */
export const jobs: Handler = (call) => {
	const { options, uncertain, firstOperand } = parseOptions(call.args.slice(1), { stopsAtOperand: true });
	const isListing = options.every(({ name }) => /^-[lnprs]$/u.test(name)) && uncertain.length === 0;
	call.run({ effect: isListing ? "read" : "exec" });
	if (options.some(({ name }) => name === "-x")) call.wraps(firstOperand + 1);
	else if (!isListing) call.unknown("jobs -x runs a command");
};
