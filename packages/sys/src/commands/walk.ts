/** Walks the tree of a script in the order of execution and reports what each simple command does. */
import { basename, dirname } from "node:path";

import type { Compound, Node, Part, Redirect, Script, Simple, Word } from "./syntax/tree.ts";
import { eachSegment, literalArg, valuesOf, type Arg } from "./args.ts";
import {
	changesEncoding,
	isEvaluatedVariable,
	isHarmfulVariable,
	isHarmlessVariable,
	isOfLanguage,
} from "./table/environment.ts";
import { closedCall } from "./closed-list.ts";
import { expandValue, expandWord } from "./expand.ts";
import { Findings, isFinder, isLastOperand, readingOf, showsFiles } from "./findings.ts";
import { limits } from "./limits.ts";
import { commonPrefix, opensNames, outputOf, printsNumber, shared, stream } from "./outputs.ts";
import { assignedIn, isHarmless, type Assigned } from "./prescan.ts";
import type { CommandLocation } from "./facts.ts";
import type { Call, Input, Verdict } from "./programs/context.ts";
import { judge, isKnownName } from "./programs/index.ts";
import { inputOf, redirect } from "./redirects.ts";
import { NotUnderstood } from "./syntax/cursor.ts";
import { parseScript } from "./syntax/parser.ts";
import { ShellState, walkList } from "./shell-state.ts";
import { systemDirectories } from "./table/known.ts";

/** A value that only the shell knows. */
const opaqueWord: Word = {
	text: "",
	parts: [{ kind: "dynamic", text: "", gives: "value", quoted: true, scripts: [] }],
};
const noInput: Input = { kind: "none" };

const deleters = new Set(["rm", "rmdir", "unlink", "shred"]);

interface Frame {
	readonly state: ShellState;
	readonly within: readonly string[];
	readonly input: Input;
	readonly environment: readonly string[];
	/** The same with their values, as far as known. */
	readonly assignments: readonly (string | undefined)[];
	readonly outer?: { readonly argv: readonly (string | undefined)[]; readonly start: number };
	readonly depth: number;
	/** A wrapper starts it, or `command`: a function of that name is passed by. */
	readonly isProgram?: boolean;
	/** What it prints goes to another command, which may open files of these names. */
	readonly feeds?: "printed" | "opened";
}

export class Walker {
	readonly findings: Findings;
	readonly #home: string;
	#assigned: Assigned = assignedIn([]);
	/** Names that functions assign never have a known value. */
	readonly #volatile = new Set<string>();

	constructor(at: CommandLocation) {
		const { home } = at;
		this.findings = new Findings(at);
		this.#home = home;
	}

	walk(script: Script, state: ShellState): void {
		this.#enter(script);
		this.#script(script, { state, within: [], input: noInput, environment: [], assignments: [], depth: 0 });
	}

	#enter(script: Script): void {
		const inner = assignedIn([script]);
		inner.names.forEach((name) => this.#assigned.names.add(name));
		inner.tainted.forEach((name) => this.#assigned.tainted.add(name));
		this.#assigned.isOpen ||= inner.isOpen;
		this.#assigned.changesDirectory ||= inner.changesDirectory;
	}

	/** A list runs in groups joined by `&&` and `||`, of which only the first command certainly runs. */
	#script(script: Script, frame: Frame): void {
		let group: Script["items"][number][] = [];
		for (const item of script.items) {
			if (this.findings.isFull) return;
			group.push(item);
			if (item.operator === "&&" || item.operator === "||") continue;
			this.#group(group, item.operator === "&" ? { ...frame, state: frame.state.clone() } : frame);
			group = [];
		}
	}

	#group(items: readonly Script["items"][number][], frame: Frame): void {
		const { state } = frame;
		walkList(items, state, (node, isFirst) => {
			const functions = [...state.functions];
			this.#node(node, frame);
			if (isFirst) return;
			state.forgetAssigned(assignedIn([node]));
			state.functions = new Set(functions);
		});
	}

	#node(node: Node, frame: Frame): void {
		switch (node.kind) {
			case "list":
				return this.#script(node, frame);
			case "pipeline":
				return this.#pipeline(node.commands, frame);
			case "subshell":
				this.#redirects(node.redirects, frame);
				return this.#script(node.body, {
					...frame,
					input: shared(this.#inputOf(node.redirects, frame)),
					state: frame.state.clone(),
				});
			case "compound":
				return this.#compound(node, frame);
			case "expression":
				this.#words(node.words, frame);
				this.#redirects(node.redirects, frame);
				this.#checkVariables([...node.assigns, ...node.sets]);
				node.sets.forEach((name) => frame.state.assign(name, undefined, !this.#assigned.tainted.has(name)));
				this.#arithmetic(node.arithmetic, frame);
				return node.assigns.forEach((name) =>
					frame.state.assign(name, undefined, !this.#assigned.tainted.has(name)),
				);
			case "function":
				return this.#function(node.name, node.body, frame);
			case "simple":
				return this.#simple(node, frame);
		}
	}

	#pipeline(commands: readonly Node[], frame: Frame): void {
		commands.forEach((command, index) => {
			const input = index === 0 ? frame.input : outputOf(commands[index - 1]);
			const later = commands.slice(index + 1);
			const feeds = later.length === 0 ? frame.feeds : later.some(opensNames) ? "opened" : "printed";
			this.#node(command, { ...frame, input, state: frame.state.clone(), ...(feeds ? { feeds } : {}) });
		});
	}

	#compound(node: Compound, outer: Frame): void {
		this.#words(node.words, outer);
		this.#redirects(node.redirects, outer);
		const frame = { ...outer, input: shared(this.#inputOf(node.redirects, outer)) };
		if (node.sort === "group") return node.bodies.forEach((body) => this.#script(body, frame));
		const { state } = frame;
		const inner = assignedIn(node.bodies);
		if (node.sort === "loop") {
			state.forgetAssigned(inner);
			if (inner.changesDirectory) state.directories = undefined;
			if (node.variable !== undefined) {
				this.#checkVariables([node.variable]);
				if (changesEncoding(node.variable, undefined))
					this.findings.unknown(`${node.variable} decides how bash reads text`);
				this.#checkEvaluated(node.variable, node.words);
				this.#loopVariable(node, frame);
			}
		}
		for (const body of node.bodies) {
			const branch = state.clone();
			this.#script(body, { ...frame, state: branch });
			state.addDirectories(branch.directories);
			// A condition runs before its branch, and `;&` runs two branches.
			state.forgetAssigned(assignedIn([body]));
		}
		if (node.variable !== undefined) state.forget([node.variable]);
	}

	/** All values are known by their common start, which shows that they are no options. */
	#loopVariable({ variable = "", words }: Compound, { state }: Frame): void {
		const args = words.flatMap((word) => expandWord(word, { state, home: this.#home }));
		// The body may read what they name.
		for (const arg of args) this.findings.read(arg, state.directories);
		const prefix = commonPrefix(args.map((arg) => arg.prefix));
		const [only, ...others] = args;
		const isNumber = args.every((arg) => arg.isNumber ?? false);
		const oneWord = args.every((arg) => arg.isNumber || /^[^\s*?[\]]+$/u.test(arg.value ?? ""));
		const value: Arg =
			only?.value !== undefined && others.length === 0
				? only
				: { text: `$${variable}`, prefix, several: false, isNumber, oneWord, among: args, ...valuesOf(args) };
		const isClean = !this.#assigned.tainted.has(variable) && words.every(isHarmless);
		state.assign(variable, args.length === 0 || this.#volatile.has(variable) ? undefined : value, isClean);
	}

	#function(name: string, body: Node, frame: Frame): void {
		if (name === "" || isKnownName(basename(name))) this.findings.unknown(`a function redefines ${name}`);
		const assigned = assignedIn([body]);
		assigned.names.forEach((each) => this.#volatile.add(each));
		frame.state.forgetAssigned(assigned);
		const state = frame.state.clone();
		state.forgetAll();
		state.isInFunction = true;
		if (this.#assigned.changesDirectory) state.directories = undefined;
		state.functions.add(name);
		this.#node(body, { ...frame, state, input: stream });
		frame.state.functions.add(name);
	}

	#simple(node: Simple, outer: Frame): void {
		for (const { words } of node.assignments) this.#words(words, outer);
		this.#words(node.words, outer);
		this.#redirects(node.redirects, outer);
		const frame = { ...outer, input: this.#inputOf(node.redirects, outer) };
		if (node.words.length === 0) return this.#assignments(node, frame);
		const args = node.words.flatMap((word) => expandWord(word, { state: frame.state, home: this.#home }));
		const program = args[0]?.value ?? "";
		// The separators of `read` are its own.
		const set = node.assignments.filter(
			({ name }) => !isHarmlessVariable(name) && !(name === "IFS" && program === "read"),
		);
		for (const assignment of node.assignments) this.#checkEncoding(assignment, frame.state);
		const isFunction = program === "" || frame.state.functions.has(program);
		this.#checkVariables(set.map(({ name }) => name).filter((name) => isFunction || !isOfLanguage(name)));
		const assignments = set.map(({ name, complex, words: [word] }) => {
			const value =
				complex || !word ? undefined : expandValue(word, { state: frame.state, home: this.#home });
			return value?.value === undefined ? undefined : `${name}=${value.value}`;
		});
		// `x=rm eval '$x a'` sees this value; in sh, what is set before `:` and its kin stays.
		frame.state.forget(node.assignments.map(({ name }) => name));
		this.#call(args, node.text, {
			...frame,
			environment: [...frame.environment, ...set.map(({ name }) => name)],
			assignments: [...frame.assignments, ...assignments],
		});
	}

	#checkEncoding({ name, complex, words: [word] }: Simple["assignments"][number], state: ShellState): void {
		const value = complex || !word ? undefined : expandValue(word, { state, home: this.#home });
		// A later command may read what is named here: `cat "${x%y}"`.
		if (value) this.findings.read(value, state.directories, false);
		if (changesEncoding(name, word ? value?.value : ""))
			this.findings.unknown(`${name} decides how bash reads text`);
	}

	#checkVariables(names: readonly string[]): void {
		const harmful = names.find(isHarmfulVariable);
		if (harmful !== undefined) this.findings.unknown(`${harmful} can make programs run others`);
	}

	#checkEvaluated(name: string, values: readonly Word[]): void {
		if (isEvaluatedVariable(name) && !values.every(isHarmless))
			this.findings.unknown(`bash evaluates what is assigned to ${name}`);
	}

	#assignments(node: Simple, { state }: Frame): void {
		this.#checkVariables(node.assignments.map(({ name }) => name));
		for (const assignment of node.assignments) {
			const { name, complex, words } = assignment;
			const word = words[0];
			const elements = complex ? words.slice(1) : [];
			for (const arg of elements.flatMap((each) => expandWord(each, { state, home: this.#home })))
				this.findings.read(arg, state.directories, false);
			this.#checkEncoding(assignment, state);
			this.#checkEvaluated(name, words);
			const value =
				complex || !word || this.#volatile.has(name)
					? undefined
					: expandValue(word, { state, home: this.#home });
			const isClean = words.every(isHarmless) && !this.#assigned.tainted.has(name);
			state.assign(name, value && !value.several ? value : undefined, isClean);
		}
	}

	#words(words: readonly Word[], frame: Frame): void {
		for (const word of words) this.#parts(word.parts, frame);
	}

	#parts(parts: readonly Part[], frame: Frame): void {
		for (const part of parts) {
			if (part.kind !== "dynamic") continue;
			if (part.opaque !== undefined) this.findings.unknown(part.opaque);
			for (const script of part.scripts) {
				this.#enter(script);
				this.#script(script, { ...frame, state: frame.state.clone(), feeds: "opened" });
			}
			this.#arithmetic(part.arithmetic ?? [], frame);
			this.#checkVariables(part.assigns ?? []);
			if (part.gives !== "number") part.assigns?.forEach((name) => this.#checkEvaluated(name, [opaqueWord]));
			part.assigns?.forEach((name) => frame.state.assign(name, undefined, part.gives === "number"));
		}
	}

	/** Bash evaluates the value of a variable in arithmetic in turn, and `a[$(rm x)]` in it runs rm. */
	#arithmetic(operands: readonly Part[], frame: Frame): void {
		this.#parts(operands, frame);
		for (const operand of operands) {
			if (operand.kind === "literal") {
				const name = /^[A-Za-z_]\w*$/u.exec(operand.text)?.[0];
				// `[[ 0 -eq PATH=0 ]]` assigns, and `y+1` evaluates y.
				const isMore = name === undefined && /(?:^|[^\w#])[A-Za-z_]/u.test(operand.text);
				if (isMore || /[$`[]/u.test(operand.text))
					this.findings.unknown("an arithmetic expression may run a command");
				if (name !== undefined) this.#checkNumber(name, frame.state);
			} else if (operand.variable !== undefined && operand.gives !== "number")
				this.#checkNumber(operand.variable, frame.state);
			else if (
				operand.gives !== "number" &&
				(operand.scripts.length === 0 || !operand.scripts.every(printsNumber))
			)
				this.findings.unknown("an arithmetic expression evaluates text that may run a command");
		}
	}

	#checkNumber(name: string, state: ShellState): void {
		if (!state.numbers.has(name) || this.#assigned.isOpen)
			this.findings.unknown(`arithmetic evaluates ${name}, whose value may run a command`);
	}

	#redirects(redirects: readonly Redirect[], frame: Frame): void {
		for (const each of redirects) {
			const { operator, target, body } = each;
			if (body) this.#parts(body.parts, frame);
			if (operator === "<<" || operator === "<<-") continue;
			this.#parts(target.parts, frame);
			if (target.parts.some((part) => part.kind === "dynamic" && part.text.startsWith(">("))) continue;
			for (const arg of expandWord(target, { state: frame.state, home: this.#home }))
				redirect(each, arg, frame.state.directories, this.findings);
		}
	}

	#inputOf(redirects: readonly Redirect[], { input, state }: Frame): Input {
		return inputOf(redirects, input, { state, home: this.#home });
	}

	/** One program with its words, also one that a wrapper starts. */
	#call(args: readonly Arg[], text: string, frame: Frame): void {
		const [program, ...rest] = args;
		if (!program) return;
		if (frame.within.length > limits.wrappers || frame.depth > limits.wrappers)
			return this.findings.unknown("programs start each other too deeply to judge");
		const word = program.value;
		if (word?.startsWith("-")) this.findings.unknown(`${word} is an option that is not understood`);
		const name = word === undefined ? "" : basename(word);
		if (word !== undefined && !frame.isProgram && this.#isFunction(word, frame.state)) {
			// Its body may be what changes the directory.
			if (this.#assigned.changesDirectory) frame.state.directories = undefined;
			for (const arg of rest) this.findings.read(arg, frame.state.directories, false);
			return;
		}
		const isTrusted = word !== undefined && (word === name || systemDirectories.has(dirname(word)));
		const call = this.#callOf(args, name, text, frame);
		if (word === undefined) {
			this.findings.unknown(`only the shell knows which program ${program.text} is`);
			call.run({ effect: "exec" });
			if (program.several && rest.length > 0) this.#call(rest, text, frame);
		} else if (isTrusted) {
			// `cat $(echo ~/.ssh/id_rsa)` names the file, too.
			if (frame.feeds && /^(?:echo|printf)$/u.test(name)) for (const arg of rest) call.read(arg);
			judge(call);
		} else {
			for (const arg of rest) call.read(arg);
			call.run({ effect: "exec" });
		}
	}

	/** Of another shell, or of this one when a trap runs: at a time that is not known. */
	#stateOf(state: ShellState, isLater = false): ShellState {
		// Of variables, it has only those that are exported.
		if (!isLater) return new ShellState(state.directories, [], [], [], state.arrays);
		const { functions, arrays } = state;
		// A later command may have changed the directory.
		return new ShellState(undefined, [], [], functions, arrays);
	}

	/** A function that is certainly defined, and that nothing in the script may remove. */
	#isFunction(word: string, { functions }: ShellState): boolean {
		return functions.has(word) && !this.#assigned.isOpen && !this.#assigned.names.has(word);
	}

	#callOf(args: readonly Arg[], name: string, text: string, frame: Frame): Call {
		const { state } = frame;
		const argv = args.map((arg) => arg.value);
		const inner = { ...frame, isProgram: false, within: [...frame.within, name], depth: frame.depth + 1 };
		const { readsTree, mayReadTree, follows } = readingOf(name, argv, frame.feeds === "opened");
		let isNamed = false;
		let isCertain = false;
		return {
			name,
			args,
			text,
			state,
			home: this.#home,
			input: frame.input,
			environment: frame.environment,
			unknown: (reason) => this.findings.unknown(reason),
			write: (arg, isTree, deletes = deleters.has(name) || undefined) =>
				this.findings.write(arg, state.directories, {
					...(isTree ? { isTree } : {}),
					...(deletes ? { deletes } : {}),
				}),
			writeIn: (arg, how) => this.findings.write(arg, state.directories, how),
			arrives: (arg) => this.findings.arrive(arg, state.directories),
			visits: (arg) => this.findings.visit(arg, state.directories),
			mayPassLink: (path) => this.findings.maySkipLink(path, state.directories),
			repository: (arg) => this.findings.repository(arg, state.directories),
			read: (arg) => {
				this.findings.read(arg, state.directories, showsFiles(name));
				if (mayReadTree) this.findings.readTree(arg, state.directories, follows);
				isNamed ||= isFinder(name) || isLastOperand(arg, args);
				// `grep -r -f list` searches the directory.
				isCertain ||=
					isLastOperand(arg, args) && arg.value !== undefined && !/^(?:-|$)/u.test(argv.at(-2) ?? "");
			},
			run: (verdict) => {
				// Without a path, it is the current directory.
				if (readsTree && !isCertain)
					this.findings.readTree(literalArg("."), state.directories, follows && !isNamed);
				this.#run(args, name, text, frame, verdict);
			},
			wraps: (start, { args: replaced, input = frame.input, assignments = [] } = {}) => {
				const started = replaced ?? args.slice(start);
				const startedText = started.map((arg) => arg.text).join(" ");
				// `env declare x=1` starts a program, which changes nothing here.
				const isBuiltin = name === "command" || name === "builtin";
				this.#call(started, startedText, {
					...inner,
					state: isBuiltin ? state : state.clone(),
					isProgram: true,
					outer: { argv, start },
					input,
					environment: [...frame.environment, ...assignments.map(({ name: set }) => set)],
					assignments: [
						...frame.assignments,
						...assignments.map(({ name: set, value }) => (value === undefined ? value : `${set}=${value}`)),
					],
				});
			},
			script: (script, options = {}) => {
				const reason = `only the shell knows what ${name} runs`;
				if (script?.value === undefined) return this.#salvage(script?.text ?? "", inner, reason);
				const next = options.sameShell ? inner : { ...inner, state: this.#stateOf(state, options.isLater) };
				this.#inner(script.value, {
					...next,
					input: options.input ?? shared(frame.input),
					outer: { argv, start: argv.length },
				});
			},
		};
	}

	#run(args: readonly Arg[], name: string, text: string, frame: Frame, verdict: Verdict): void {
		const { effect, network, danger } = verdict;
		// What a variable that is not known does to a program is not known either: `ZIP='-T -TT ./x' zip a f`.
		const isChanged = frame.environment.length > 0;
		const assignments = frame.assignments.filter((each) => each !== undefined);
		const call = closedCall(args, frame.within);
		const { directories } = frame.state;
		for (const arg of call.reads) this.findings.read(arg, directories, false);
		const run = {
			name,
			argv: args.map((arg) => arg.value),
			text,
			effect: isChanged ? "exec" : effect,
			...(network ? { network } : {}),
			...(danger === undefined ? {} : { danger }),
			...(directories ? { directories } : {}),
			within: frame.within,
			environment: frame.environment,
			...(assignments.length > 0 && assignments.length === frame.assignments.length ? { assignments } : {}),
			...(frame.outer ? { outer: frame.outer } : {}),
		} as const;
		this.findings.run(run, call);
	}

	#inner(text: string, frame: Frame): void {
		try {
			const script = parseScript(text, frame.depth);
			this.#enter(script);
			this.#script(script, frame);
		} catch (error) {
			if (!(error instanceof NotUnderstood)) throw error;
			this.#salvage(text, frame, error.message);
		}
	}

	/** For a command that does not parse. */
	salvage(text: string, state: ShellState, reason: string): void {
		this.#salvage(
			text,
			{ state, within: [], input: noInput, environment: [], assignments: [], depth: limits.wrappers },
			reason,
		);
	}

	#salvage(text: string, frame: Frame, reason: string): void {
		this.findings.unknown(reason);
		eachSegment(text, (args) => this.#call(args, args.map((arg) => arg.text).join(" "), frame));
	}
}
