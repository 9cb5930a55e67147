/** Judges git: its global options, and each subcommand by what it does with these words. */
import {
	inList,
	literalArg,
	mayBeOption,
	parseOptions,
	unknownArg,
	words,
	type Arg,
	type Parsed,
} from "../args.ts";
import { gitListings, gitSubcommands } from "../table/known.ts";
import { row } from "../table/row.ts";
import type { Call, Handler, Verdict } from "./context.ts";
import { applyRow } from "./row.ts";

const harmlessSettings =
	/^(?:color\.[\w.]+|advice\.\w+|core\.quotepath|log\.(?!showsignature)\w+|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix|colormoved)|init\.defaultbranch|user\.(?:name|email)|commit\.gpgsign|tag\.gpgsign|core\.(?:autocrlf|filemode|safecrlf|abbrev)|pager\.\w+|core\.pager)=(?:[\w\s.@+-]*)$/iu;
const transport = /^[\w+.-]+::/u;
const globalValued = words(
	"-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source --list-cmds",
);

export const git: Handler = (call) => {
	const args = call.args.slice(1);
	const { options, uncertain, firstOperand } = parseOptions(args, {
		valued: globalValued,
		stopsAtOperand: true,
	});
	let effect: Verdict["effect"] = "read";
	for (const { name, value } of options) {
		if (name === "-c" && !isHarmlessSetting(value?.value)) {
			call.unknown("git -c can set a program to run");
			effect = "exec";
		} else if (/^--(?:exec-path|config-env|git-dir|work-tree)$/u.test(name) && value) {
			if (name !== "--work-tree") call.unknown(`git ${name} decides which programs and settings are used`);
			effect = "exec";
		} else if (name === "--bare") {
			call.unknown("git --bare uses the settings of this directory, which can name programs");
			effect = "exec";
		}
	}
	const subcommand = args[firstOperand];
	if (uncertain.length > 0 || (subcommand && subcommand.value === undefined)) {
		call.unknown("only the shell knows which command of git this is");
		return call.run({ effect: "exec" });
	}
	if (subcommand?.value === undefined) return call.run({ effect });
	const [directory, ...others] = options.flatMap(({ name, value }) =>
		name === "-C" && value ? [value] : [],
	);
	call.repository(directory);
	if (others.length > 0) {
		call.unknown("git -C leads from one directory to another");
		effect = "exec";
	}
	// It may show any file there (`grep --no-index`).
	if (directory) call.read(directory);
	const at = directory
		? { read: readAt(call, directory), write: elsewhere(call), run: within(call, directory) }
		: { run: within(call, undefined, subcommand.value) };
	subcommandOf({ ...call, ...at }, subcommand.value, args.slice(firstOperand + 1), effect);
};

const changesWorktree = words(
	"reset clean apply am stash restore checkout-index read-tree sparse-checkout bisect",
);

/** Some subcommands change files that they do not name: anything in the directory. */
function within(call: Call, directory: Arg | undefined, subcommand = ""): Call["run"] {
	return (verdict) => {
		if (verdict.effect === "write" && (directory || changesWorktree.has(subcommand))) {
			call.write(directory ?? literalArg("."));
			call.arrives(directory ?? literalArg("."));
		}
		call.run(verdict);
	};
}

/** The pager of a setting is harmless when it is `cat`, or none. */
function isHarmlessSetting(setting: string | undefined): boolean {
	if (setting === undefined || !harmlessSettings.test(setting)) return false;
	return !/^(?:core\.pager|pager\.)/iu.test(setting) || /=(?:cat|false|true|)$/u.test(setting);
}

/** With `git -C dir`, paths are relative to that directory. */
function elsewhere(call: Call): Call["write"] {
	return (arg) => call.write(arg.value?.startsWith("/") ? arg : unknownArg(arg.text, arg.prefix));
}

function readAt(call: Call, { value: directory }: Arg): Call["read"] {
	return (arg) => {
		const isBelow = directory !== undefined && arg.value !== undefined && !arg.value.startsWith("/");
		call.read(isBelow ? literalArg(`${directory}/${arg.value}`) : arg);
	};
}

function subcommandOf(call: Call, name: string, args: readonly Arg[], effect: Verdict["effect"]): void {
	if (args.some((arg) => transport.test(arg.prefix))) call.unknown("a git transport can run a program");
	if (args.some((arg) => /^--ext(?!en)/u.test(arg.prefix)))
		call.unknown("git starts the external diff program of its settings");
	if (name === "init" && args.some((arg) => arg.value === undefined || /^--(?:se|t)/u.test(arg.value)))
		call.unknown("git init can put the settings of the repository elsewhere");
	// These placeholders make git start gpg, or what its settings name instead.
	if (args.some(mayVerify)) call.unknown("git verifies signatures with a program");
	const special = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
	if (special) return special(call, args, effect);
	const listings = gitListings.get(name);
	if (listings) return listing(call, name, args, listings, effect);
	const known = gitSubcommands.get(name);
	// An alias of the user, or a program like git-foo.
	if (!known) return call.run({ effect: "exec" });
	if (name === "init" && !args.some((arg) => !mayBeOption(arg))) call.write(literalArg(".git"));
	if (/^(?:rm|mv|restore|clean)$/u.test(name))
		for (const arg of args) if (!mayBeOption(arg)) call.write(pathspec(arg));
	// What is moved may be a link.
	const last = args.at(-1);
	if (name === "mv" && last) call.arrives(last);
	if (/^(?:blame|annotate|grep|show|diff|add|archive|fmt-merge-msg|ls-files)$/u.test(name))
		for (const arg of args) if (!mayBeOption(arg)) call.read(arg);
	// The files are named in the patch.
	if (name === "apply" && !args.some(({ value = "" }) => /^--(?:stat|numstat|summary|check)$/u.test(value)))
		call.write(unknownArg(call.text));
	if (name === "clone" || name === "pull" || name === "fetch") return remote(call, args);
	if (name === "rebase") return rebase(call, args);
	applyRow(call, known, args, { effect });
}

/** `:/x` and `:(top)x` are relative to the root of the repository, which may be above the project. */
function pathspec(arg: Arg): Arg {
	return arg.prefix.startsWith(":") ? unknownArg(arg.text) : arg;
}

/** `%G?`, `%+GK`, `%(signature)`, or a format that only the shell knows; lists can also be sorted by signatures. */
function mayVerify({ value, text, prefix }: Arg): boolean {
	if (/%[-+ ]?G|%\([-+ *]*signature|^(?:--sort.*|-?\*?)signature(?::\w+)?$/u.test(value ?? text)) return true;
	return value === undefined && /^--(?:fo|pr|so)/u.test(prefix);
}

const tagOptions = words(
	"-l -n -d -f -a -m -F -i --list --delete --force --annotate --message --file --sort --format --points-at --contains --no-contains --merged --no-merged --column --no-column --color --ignore-case --omit-empty --create-reflog --cleanup",
);

function isRef({ value }: Arg): boolean {
	return /^(?:HEAD|refs\/(?!.*\.\.)[\w./@-]+)$/u.test(value ?? "");
}

/** A file that is named may include any other (`--includes`), whose lines are then shown. */
const configOptions = words(
	"-f --file --blob --type --default --url --bool --int --bool-or-int --path --expiry-date --no-type -z --null --name-only --show-origin --show-scope --local --global --system --worktree --no-includes --all --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l",
);

/** What a setting of such a name holds is no secret of the user. */
const ordinarySetting =
	/^(?!.*(?:token|pass|passwd|password|secret|api-?key)$)(?:author|branch|color|commit|committer|core|diff|fetch|init|log|merge|pull|push|rebase|remote|status|submodule|user)\.[\w.-]+$/u;

/** Of `git config name` and `git config get name`. */
function lastKey(operands: readonly Arg[]): string {
	return operands.at(-1)?.value ?? "";
}

type Subcommand = (call: Call, args: readonly Arg[], effect: Verdict["effect"]) => void;

const subcommands: Readonly<Record<string, Subcommand>> = {
	branch: (call, args, effect) => {
		const parsed = parseOptions(args, {
			valued: words(
				"-u --set-upstream-to --sort --format --points-at --contains --no-contains --merged --no-merged",
			),
		});
		const isListing =
			has(parsed, "-l --list --show-current --contains --no-contains --merged --no-merged --points-at") ||
			parsed.operands.length === 0;
		const changes = has(
			parsed,
			"-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream-to --unset-upstream --edit-description --track --create-reflog --no-list",
		);
		const danger =
			has(parsed, "-D") || (has(parsed, "-d --delete") && has(parsed, "-f --force"))
				? "deletes a branch with its commits"
				: undefined;
		finish(
			call,
			isListing && !changes && parsed.uncertain.length === 0
				? effect
				: has(parsed, "--edit-description")
					? "exec"
					: "write",
			danger,
		);
	},
	tag: (call, args, effect) => {
		const parsed = parseOptions(args, {
			valued: words(
				"-m -F -u --file --message --sort --format --points-at --contains --no-contains --merged --no-merged",
			),
			attached: words("-n"),
		});
		const isListing =
			has(parsed, "-l --list --contains --no-contains --merged --no-merged --points-at -n") ||
			parsed.operands.length === 0;
		const changes = has(parsed, "-d -f -a -m -F --delete --force --annotate --message --file");
		for (const { name, value } of parsed.options)
			if (value && (name === "-F" || inList(name, words("--file")))) call.read(value);
		// Without a message an editor is opened, and a trailer may be what a command prints.
		const opensEditor = has(parsed, "-a --annotate") && !has(parsed, "-m -F --message --file");
		const runs = opensEditor || !parsed.options.every(({ name }) => tagOptions.has(name));
		finish(call, runs ? "exec" : isListing && !changes && parsed.uncertain.length === 0 ? effect : "write");
	},
	config: (call, args, effect) => {
		const valued = words("-f --file --blob --type --default --comment --value --url");
		const parsed = parseOptions(args, { valued });
		const [first, second] = parsed.operands;
		// Behind a name it is a value: `git config core.pager --get=./x` sets it.
		const leading = parseOptions(args, { valued, stopsAtOperand: true });
		const isNamed = first?.value === "get" || first?.value === "list";
		const isListing =
			isNamed ||
			(leading.options.length === parsed.options.length &&
				(has(parsed, "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l") ||
					(parsed.operands.length === 1 && second === undefined && first?.value !== "edit")));
		const changes =
			has(parsed, "--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit") ||
			parsed.uncertain.length > 0;
		const file = parsed.options.find(({ name }) => name === "-f" || inList(name, words("--file")))?.value;
		if (isListing && !changes) {
			if (file) call.read(file);
			else if (
				!has(parsed, "--local --worktree --system --blob") &&
				!ordinarySetting.test(lastKey(parsed.operands))
			)
				for (const name of [".gitconfig", ".config/git/config"])
					call.read(literalArg(`${call.home}/${name}`));
			return finish(call, parsed.options.every(({ name }) => configOptions.has(name)) ? effect : "exec");
		}
		call.write(
			file ??
				literalArg(
					has(parsed, "--global")
						? `${call.home}/.gitconfig`
						: has(parsed, "--system")
							? "/etc/gitconfig"
							: ".git/config",
				),
		);
		// A setting can name a program that git starts.
		finish(call, "exec");
	},
	push: (call, args) => {
		const parsed = parseOptions(args, { valued: words("-o --push-option --receive-pack --exec --repo") });
		if (has(parsed, "--receive-pack --exec")) call.unknown("git push starts a program");
		const forces =
			has(parsed, "-f --force --force-with-lease --force-if-includes --mirror --prune") ||
			parsed.operands.some((arg) => arg.prefix.startsWith("+"));
		const deletes =
			has(parsed, "-d --delete") || parsed.operands.slice(1).some((arg) => arg.prefix.startsWith(":"));
		const danger = forces
			? "overwrites commits of a remote"
			: deletes
				? "deletes a branch of a remote"
				: parsed.uncertain.length > 0
					? "may overwrite commits of a remote"
					: undefined;
		call.run({ effect: "exec", network: true, danger });
	},
	checkout: (call, args) => {
		const at = args.findIndex((arg) => arg.value === "--");
		if (at >= 0) for (const arg of args.slice(at + 1)) call.write(pathspec(arg));
		finish(call, "exec");
	},
	"symbolic-ref": (call, args, effect) => {
		const parsed = parseOptions(args, { valued: words("-m") });
		const isListing =
			parsed.operands.length === 1 &&
			!args.some((arg) => arg.several || arg.glob !== undefined) &&
			!has(parsed, "-d --delete");
		// Any other name is a file of the repository: `git symbolic-ref config refs/x`.
		finish(call, isListing ? effect : parsed.operands.every(isRef) ? "write" : "exec");
	},
	"hash-object": (call, args, effect) => {
		for (const arg of args) if (!mayBeOption(arg)) call.read(arg);
		if (args.some((arg) => arg.prefix.startsWith("--stdin-")))
			call.unknown("git reads files that its input names");
		finish(call, args.some((arg) => (arg.value ?? "-w").startsWith("-w")) ? "write" : effect);
	},
	"update-ref": (call, args) =>
		finish(
			call,
			parseOptions(args, { valued: words("-m") })
				.operands.slice(0, 1)
				.every(isRef)
				? "write"
				: "exec",
			args.some(
				(arg) => mayBeOption(arg) && !/^--(?:no-deref|create-reflog|msg.*)$|^-m/u.test(arg.value ?? ""),
			)
				? "may delete a branch with its commits"
				: undefined,
		),
	fsck: (call, args, effect) =>
		finish(
			call,
			args.some((arg) => arg.value === undefined) || has(parseOptions(args), "--lost-found")
				? "write"
				: effect,
		),
	difftool: (call) => launches(call),
	mergetool: (call) => launches(call),
};

function launches(call: Call): void {
	call.unknown("git starts a program of its settings");
	finish(call, "exec");
}

function has(parsed: Parsed, list: string): boolean {
	const names = words(list);
	return parsed.options.some(({ name }) => inList(name, names));
}

function finish(call: Call, effect: Verdict["effect"], danger?: string): void {
	call.run({ effect, danger });
}

function remote(call: Call, args: readonly Arg[]): void {
	applyRow(
		call,
		row("exec", {
			skip: Infinity,
			network: true,
			runs: "-u --upload-pack",
			valued: "-b -o -j -c --branch --origin --depth --config --template --reference",
		}),
		args,
	);
	if (args.some((arg) => arg.prefix.startsWith("-c") || arg.prefix.startsWith("--conf")))
		call.unknown("git clone -c can set a program to run");
}

function rebase(call: Call, args: readonly Arg[]): void {
	const { options } = parseOptions(args, {
		valued: words("-x -s -X --exec --onto --strategy --strategy-option"),
	});
	finish(call, "exec");
	for (const { name, value } of options)
		if (name === "-x" || inList(name, words("--exec"))) call.script(value);
}

function listing(
	call: Call,
	name: string,
	args: readonly Arg[],
	listings: ReadonlySet<string>,
	effect: Verdict["effect"],
): void {
	// `git stash -q list` stashes the path "list": only a first word is a subcommand.
	const [leading] = args;
	const isVerbose = name === "remote" && /^(?:-v|--verbose)$/u.test(leading?.value ?? "");
	const first = args.slice(isVerbose ? 1 : 0, isVerbose ? 2 : 1).find((arg) => !mayBeOption(arg));
	const isUncertain = args.some((arg) => arg.value === undefined && mayBeOption(arg));
	const word = first?.value ?? "";
	// `git remote show origin` asks the other machine, and so does an address in place of the name.
	const asks =
		name === "remote" &&
		word === "show" &&
		args.length > (isVerbose ? 2 : 1) &&
		!(args.some((arg) => arg.value === "-n") && !args.some((arg) => arg.value === "--"));
	if (asks) return call.run({ effect: "exec", network: true });
	const hasMore = first === undefined && args.some((arg) => !mayBeOption(arg) || arg.value === "--");
	if (listings.has(word) && !isUncertain && !hasMore && (first === undefined || first.value !== undefined)) {
		const rest = args.filter((arg) => arg !== first);
		// `git stash show` and `git reflog show` take the options of `git diff` and `git log`.
		return applyRow(call, gitSubcommands.get("log") ?? row("read"), rest, { effect });
	}
	if (name === "submodule" && word === "foreach") {
		finish(call, "exec");
		return call.script(args.length === 2 ? args[1] : undefined);
	}
	if (name === "bisect" && word === "run") {
		finish(call, "exec");
		return call.wraps(call.args.indexOf(first ?? literalArg("")) + 1);
	}
	const loses =
		(name === "stash" && /^(?:drop|clear)$/u.test(word)) ||
		(name === "reflog" && /^(?:expire|delete)$/u.test(word));
	if (name === "remote") call.write(literalArg(".git/config"));
	// `git bisect view git …` starts anything; the others write where their options say.
	const isStep = /^(?:start|good|bad|new|old|skip|reset|replay|next|log|terms)$/u.test(word);
	if (name === "bisect" && !isStep) call.unknown("git bisect starts a program");
	if (name === "bundle") {
		// The file is the second word, or a later one: `create --version 3 file`.
		const files = parseOptions(args).operands.slice(1);
		for (const file of files.length > 0 ? files : [unknownArg(call.text)]) call.write(file);
	}
	// Both check files out, after which a hook runs.
	const checksOut =
		(name === "bisect" && !/^(?:log|terms)$/u.test(word)) || (name === "stash" && word === "branch");
	const runs =
		checksOut || /^(?:submodule|worktree|sparse-checkout|lfs|commit-graph|multi-pack-index)$/u.test(name);
	call.run({
		effect: runs ? "exec" : "write",
		network: name === "submodule" || name === "lfs" || (name === "remote" && word === "update"),
		danger: loses ? "deletes commits that no branch holds" : undefined,
	});
}
