/** Programs with a language of their own (sed, awk), and those whose options decide everything (tar, curl, dd, rm). */
import { basename, dirname, join } from "node:path";

import { inList, literalArg, parseOptions, unknownArg, words, type Arg } from "../args.ts";
import { limits } from "../limits.ts";
import { shared } from "../outputs.ts";
import { readers } from "../table/known.ts";
import { row } from "../table/row.ts";
import type { Call, Handler, Verdict } from "./context.ts";
import { applyRow, wider } from "./row.ts";
import { awkCode } from "./awk-code.ts";
import { judgeSed } from "./sed-script.ts";

/** The commands of sed that write files or run programs; anything that looks like one counts. */
export const sed: Handler = (call) => {
	const { options, operands, uncertain } = parseOptions(call.args.slice(1), {
		valued: words("-e -f -l --expression --file --line-length"),
	});
	const isEdit = options.some(
		({ name }) =>
			name === "-i" || name === "-I" || inList(name, words("--in-place")) || /^-[nErsuz]*i/u.test(name),
	);
	const given = options
		.filter(({ name }) => name === "-e" || inList(name, words("--expression")))
		.map(({ value }) => value);
	const fromFile = options.some(({ name }) => name === "-f" || inList(name, words("--file")));
	const scripts = given.length > 0 || fromFile ? given : operands.slice(0, 1);
	const files = given.length > 0 || fromFile ? operands : operands.slice(1);
	// `sed --line --sandbox`: an abbreviated option takes the next word as its value.
	const isSandboxed = options.some(({ name }) => name === "--sandbox") && uncertain.length === 0;
	let effect: Verdict["effect"] = isEdit ? "write" : "read";
	if (fromFile && !isSandboxed) {
		effect = "exec";
		call.unknown("only sed knows what its script does");
	}
	if (scripts.length > 0 && !isSandboxed) effect = wider(effect, sedScript(call, oneScript(scripts)));
	if (uncertain.some((arg) => !scripts.includes(arg)) && !isSandboxed) {
		call.unknown(`${uncertain[0]?.text ?? ""} may be an option of sed`);
		effect = "exec";
	}
	for (const file of files) {
		if (isEdit) call.write(file);
		else call.read(file);
	}
	// `-i../old/*` keeps the old file elsewhere.
	const keeps = call.args.find(({ prefix }) => /^(?:-[a-zA-Z]*i|--i[a-z-]*=).*\//u.test(prefix));
	if (isEdit && keeps) call.write(unknownArg(keeps.text));
	call.run({ effect });
};

/** Each `-e` is a line of one script: `-e 'i\\'` makes the first line of the next one a text. */
function oneScript(scripts: readonly (Arg | undefined)[]): Arg | undefined {
	const [only, ...others] = scripts;
	if (others.length === 0) return only;
	const isKnown = scripts.every((script) => script?.value !== undefined);
	return isKnown
		? literalArg(scripts.map((script) => script?.value ?? "").join("\n"))
		: scripts.find((script) => script?.value === undefined);
}

function sedScript(call: Call, script: Arg | undefined): Verdict["effect"] {
	const text = script?.value;
	const { writes, reads, runs } = text === undefined ? { writes: [], reads: [], runs: true } : judgeSed(text);
	for (const file of writes) call.write(literalArg(file));
	for (const file of reads) call.read(literalArg(file));
	if (!runs) return writes.length > 0 ? "write" : "read";
	call.unknown(
		text === undefined
			? `only the shell knows the script of sed in ${script?.text ?? "it"}`
			: "a script of sed may run a program",
	);
	return "exec";
}

/** `system()`, pipes, `getline` from commands and output to files. */
export const awk: Handler = (call) => {
	const { options, operands, uncertain } = parseOptions(call.args.slice(1), {
		valued: words("-F -v -f -e -i -l --field-separator --assign --file --source --include --load"),
		stopsAtOperand: true,
	});
	const loads = options.some(({ name }) => /^-(?:[fEilW]|-(?:fi|e|in|lo))/u.test(name));
	const writes = options.some(({ name }) => /^-(?:[opdD]|-(?:pr|du|de))/u.test(name));
	const sources = options
		.filter(({ name }) => name === "-e" || name.startsWith("--so"))
		.map(({ value }) => value);
	const program = loads || sources.length > 0 ? sources : operands.slice(0, 1);
	for (const file of operands.slice(loads || sources.length > 0 ? 0 : 1))
		if (!/^\w+=/u.test(file.prefix)) call.read(file);
	const text = program.map((arg) => arg?.value ?? "").join("\n");
	const isOpaque =
		loads ||
		text.length > limits.scriptChars ||
		writes ||
		operands.some(isConnection) ||
		uncertain.some((arg) => !program.includes(arg)) ||
		program.some((arg) => arg?.value === undefined);
	if (isOpaque) call.unknown("only awk knows what its script does");
	const code = awkCode(text);
	// A number ends where a word begins: `2system("x")` calls system.
	const runs =
		code === undefined ||
		/(?<!\w)(?:\d\w*)?(?:system|getline|ARGV|SYMTAB)\b|\||@/u.test(code.replaceAll("||", ""));
	if (runs && !isOpaque) call.unknown("a script of awk may run a program");
	const redirects = code !== undefined && /(?<!\w)(?:\d\w*)?printf?\b[^;}]*>/u.test(code);
	if (redirects) call.write(unknownArg(text));
	call.run({ effect: isOpaque || runs ? "exec" : redirects ? "write" : "read" });
};

/** Gawk connects to names that begin with `/inet`; a name that is read from somewhere may be one. */
function isConnection({ value, glob, prefix, isNumber }: Arg): boolean {
	if (prefix.startsWith("/inet")) return true;
	return value === undefined && glob === undefined && isNumber !== true && "/inet".startsWith(prefix);
}

export const dd: Handler = (call) => {
	let danger: string | undefined;
	for (const arg of call.args.slice(1)) {
		const [, key, file] = /^(if|of)=(.*)$/su.exec(arg.prefix) ?? [];
		const target: Arg =
			arg.value === undefined
				? unknownArg(arg.text, file ?? "")
				: { ...arg, value: file ?? "", prefix: file ?? "" };
		if (key === "if") call.read(target);
		if (key === "of" || (arg.value === undefined && key === undefined)) call.write(target);
		if (key === "of" && (file ?? "").startsWith("/dev/") && file !== "/dev/null")
			danger = "writes to a device";
	}
	call.run({ effect: "write", danger });
};

/** `rm`, with directories that no one can bring back. */
export const rm: Handler = (call) => {
	const { operands, options } = parseOptions(call.args.slice(1));
	const isRecursive = options.some(
		({ name }) => name === "-r" || name === "-R" || inList(name, words("--recursive")),
	);
	const isRoot = (arg: Arg): boolean => {
		const name = (arg.value ?? arg.glob ?? "").replace(/\/+(?=.)/gu, "/");
		if (/^\/?(?:\.?\*)?$/u.test(name) && name.startsWith("/")) return true;
		const path = name.replace(/\/(?:\.?\*)?$/u, "");
		return (
			path === call.home ||
			path === "~" ||
			/^(?:\.\.\/?)+$/u.test(path) ||
			/^\/(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var|Users|Library|System|Applications)$/u.test(
				path,
			) ||
			/(?:^|\/)\.git$/u.test(path)
		);
	};
	const danger =
		isRecursive && operands.some(isRoot) ? "deletes a directory that no checkpoint covers" : undefined;
	const write: Call["write"] = (arg) => call.write(arg, isRecursive || undefined);
	applyRow({ ...call, write }, row("write", { writes: "all" }), undefined, { danger });
};

/** Other protocols than HTTP carry commands to a service: `gopher://localhost:6379/_FLUSHALL`. */
const localHost = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/u;

/** Options with which a request to this machine only reads, or writes what is listed. */
const localCurl = words(
	"-s -S -f -i -I -v -k -4 -6 -g -G -N -# -m -w -H -A -X -o -O -J -c -D -d -F -T -u --silent --show-error --fail --fail-with-body --include --head --verbose --insecure --get --no-buffer --max-time --connect-timeout --retry --retry-delay --retry-connrefused --retry-all-errors --compressed --header --request --no-progress-meter --progress-bar --write-out --user-agent --user --http1.1 --http2 --max-redirs --range -r --output --output-dir --create-dirs --remote-name --remote-name-all --remote-header-name --cookie-jar --dump-header --data --data-raw --data-binary --data-urlencode --json --form --upload-file --url --globoff",
);

export const curl: Handler = (call) => {
	const { options, operands, uncertain } = parseOptions(call.args.slice(1), {
		valued: words(
			"-A -b -c -C -d -D -e -E -F -h -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --url --data --data-raw --data-binary --data-urlencode --json --form --header --request --output --output-dir --user --user-agent --max-time --connect-timeout --retry --write-out --proxy --cookie --cookie-jar --upload-file --config --dump-header --cacert --cert --key --resolve --trace --trace-ascii --stderr --etag-save --range --referer --limit-rate --libcurl --hsts --alt-svc",
		),
	});
	let effect: Verdict["effect"] = options.every(({ name }) => localCurl.has(name)) ? "read" : "exec";
	let sends = false;
	for (const { name, value } of options) {
		if (
			/^(?:-o|-c|-D|--output|--output-dir|--cookie-jar|--dump-header|--trace|--trace-ascii|--stderr|--etag-save|--libcurl|--hsts|--alt-svc)$/u.test(
				name,
			)
		) {
			if (value?.value === "-" || value?.value === "/dev/null") continue;
			effect = wider(effect, "write");
			// `#1` is a part of the address.
			if (value) call.write(/#\d/u.test(value.value ?? "") ? unknownArg(value.text) : value);
		} else if (
			name === "-O" ||
			name === "-J" ||
			inList(name, words("--remote-name --remote-name-all --remote-header-name"))
		) {
			effect = wider(effect, "write");
			call.write(unknownArg(name));
		} else if ((name === "-w" || name === "--write-out") && /^@|%output|^$/iu.test(value?.value ?? "")) {
			// `%output{file}` writes a file.
			effect = "exec";
			call.write(unknownArg(value?.text ?? name));
		} else if (name === "-K" || inList(name, words("--config"))) effect = "exec";
		else if (/^(?:-d|-F|-T|--data.*|--json|--form.*|--upload-file)$/u.test(name)) {
			sends = true;
			const file =
				/(?:^|=)[@<](.+)$/u.exec(value?.value ?? "")?.[1] ??
				(/^(?:-T|--upload-file)$/u.test(name) ? value?.value : undefined);
			if (file !== undefined) call.read({ value: file, text: file, prefix: file, several: false });
		} else if (/^(?:-H|--header)$/u.test(name) && value?.prefix.startsWith("@"))
			call.read({ ...value, ...literalArg(value.value?.slice(1) ?? value.prefix.slice(1)) });
		else if (name === "-X" || name === "--request")
			sends ||= !/^(?:GET|HEAD|OPTIONS)$/iu.test(value?.value ?? "");
	}
	if (uncertain.length > 0) call.write(unknownArg(uncertain[0]?.text ?? ""));
	const isDirected = options.some(
		({ name }) => name === "-x" || inList(name, words("--proxy --connect-to --resolve --url --next")),
	);
	const isLocal =
		operands.length > 0 &&
		!isDirected &&
		operands.every(({ value }) => value !== undefined && localHost.test(value) && !value.includes("@"));
	const isFile = operands.some((arg) => /^file:/iu.test(arg.prefix));
	if (isFile)
		for (const arg of operands)
			call.read(arg.value === undefined ? arg : { ...arg, value: arg.value.replace(/^file:\/\//iu, "") });
	call.run({
		// An address can carry a secret away, so only requests to this machine are reads.
		effect: isLocal && !sends && uncertain.length === 0 ? effect : "exec",
		network: !isLocal,
		danger: sends && !isLocal ? "sends data to another machine" : undefined,
	});
};

export const wget: Handler = (call) => {
	const known = row("write", {
		network: true,
		skip: Infinity,
		output:
			"-O -P -o -a --output-document --directory-prefix --output-file --append-output --save-cookies --warc-file",
		runs: "--use-askpass",
		changes: "-e --execute --config --post-data --post-file --method --body-data --body-file",
		valued: "-T -t -U --timeout --tries --user-agent --header",
	});
	const args = call.args.slice(1);
	const named = parseOptions(args, known).options.find(({ name }) =>
		/^(?:-O|-P|--output-doc.*|--directory.*)$/u.test(name),
	);
	if (!named && !args.some((arg) => arg.value === "--spider")) call.write(unknownArg("wget"));
	applyRow(call, known);
};

/** Who writes to a link writes to its target, which must be judged now: nobody sees it in the name of the link. */
function linked(call: Call, source: Arg, link: Arg | undefined): void {
	if (source.value === undefined || source.value.startsWith("/") || !link) return call.write(source);
	// A relative target is relative to the directory of the link; the link is in `link` if that is a directory.
	if (link.value === undefined) return call.write(unknownArg(source.text));
	for (const directory of [dirname(link.value), link.value])
		call.write({ ...literalArg(join(directory, source.value)), text: source.text });
}

/** In a directory a copy has the name of its source: a link of that name is followed, and `.git` is protected there. */
function landsIn(call: Call, source: Arg, place: Arg, isTree: boolean): void {
	const name = source.value === undefined ? undefined : basename(source.value);
	const isWhole =
		name === undefined ? isTree : /^\.{0,2}$/u.test(name) || /\/\.{1,2}\/*$/u.test(source.value ?? "");
	// Such a pattern matches `.git`, too.
	const last = source.glob?.split("/").at(-1) ?? "";
	if (name === undefined && (source.glob === undefined ? source.prefix === "" : /^[.[]/u.test(last)))
		call.write(unknownArg(source.text));
	if (isWhole) call.write(place, true);
	else if (name === undefined || place.value === undefined) call.writeIn(place, { into: true });
	else
		call.writeIn(literalArg(`${place.value}/${name}`), { inDirectory: true, ...(isTree ? { isTree } : {}) });
}

/** Without the one that ends the names of backups: `cp -b -S .json a .mcp` makes `.mcp.json`. */
const copyOptions = words(
	"-a -b -d -f -i -n -H -l -L -P -p -r -R -s -t -T -u -v -x --archive --attributes-only --backup --copy-contents --force --interactive --dereference --no-dereference --link --no-clobber --preserve --no-preserve --parents --recursive --reflink --sparse --symbolic --symbolic-link --relative --target-directory --no-target-directory --update --verbose --one-file-system --strip-trailing-slashes --physical --logical --debug --exchange --no-copy",
);
const installOptions = words(
	"-c -C -D -d -g -m -o -p -s --compare --directory --group --mode --owner --preserve-timestamps --strip",
);

/** `cp`, `mv`, `ln`, `install` with `-t`: the directory is an option. */
export const copies: Handler = (call) => {
	const valued = words("-S -t -m -o -g --suffix --target-directory --mode --owner --group");
	const parsed = parseOptions(call.args.slice(1), { valued });
	const target = parsed.options.find(
		({ name }) => name === "-t" || inList(name, words("--target-directory")),
	)?.value;
	const makesDirectories =
		call.name === "install" &&
		parsed.options.some(({ name }) => name === "-d" || inList(name, words("--directory")));
	const sources = target || makesDirectories ? parsed.operands : parsed.operands.slice(0, -1);
	if (target) call.write(target);
	else for (const last of makesDirectories ? parsed.operands : parsed.operands.slice(-1)) call.write(last);
	const place = target ?? parsed.operands.at(-1);
	if (!makesDirectories && place && /^(?:cp|mv|install)$/u.test(call.name)) {
		const isTree = parsed.options.some(({ name }) => inList(name, words("-a -r -R --archive --recursive")));
		const isNamed = parsed.options.some(({ name }) => inList(name, words("--parents")));
		const isFile = parsed.options.some(({ name }) => inList(name, words("-T --no-target-directory")));
		if (isNamed || (isFile && isTree)) call.write(isNamed ? unknownArg(call.text) : place, true);
		else if (!isFile) for (const source of sources) landsIn(call, source, place, isTree);
	}
	for (const source of sources) {
		call.read(source);
		// A moved file is gone from where it was.
		if (call.name === "mv") call.writeIn(source, { moves: true });
	}
	const links = parsed.options.some(({ name }) =>
		inList(name, words("-s -l --symbolic --symbolic-link --link")),
	);
	if (call.name === "ln" || call.name === "link" || (call.name === "cp" && links)) {
		const isSymbolic = parsed.options.some(({ name }) =>
			inList(name, words("-s --symbolic --symbolic-link")),
		);
		const last = target ?? parsed.operands.at(-1);
		for (const source of sources) linked(call, source, isSymbolic ? last : undefined);
	}
	const isLinkAlone = call.name === "ln" && parsed.operands.length === 1 && !target;
	if (isLinkAlone) call.write(unknownArg(call.text));
	const keepsLinks =
		call.name === "mv" ||
		parsed.options.some(({ name }) =>
			inList(name, words("-a -d -P -r -R --archive --no-dereference --recursive")),
		);
	if (keepsLinks && place) call.arrives(place);
	if (parsed.uncertain.length > 0) call.write(unknownArg(parsed.uncertain[0]?.text ?? ""));
	const strips = parsed.options.some(({ name }) => inList(name, words("--strip-program")));
	if (strips) call.unknown("install starts a program");
	const isChecked = parsed.options.every(
		({ name }) => copyOptions.has(name) || (call.name === "install" && installOptions.has(name)),
	);
	call.run({ effect: isChecked ? "write" : "exec" });
};

/** `date` and `hostname` print something, or set it. */
export const settable: Handler = (call) => {
	const known = readers.get(call.name) ?? row("exec");
	const { options, operands } = parseOptions(call.args.slice(1), known);
	const sets =
		operands.some((arg) => !arg.prefix.startsWith("+")) ||
		options.some(({ name }) => /^(?:-s|--s\w*|-F|-b|--file)$/u.test(name) && !known.valued.has(name));
	applyRow(call, known, undefined, sets ? { effect: "exec", danger: "changes the machine" } : {});
};

/** Whether a word inside of a command may be the `;` that ends it. */
export function mayEnd({ value, prefix, several, isNumber }: Arg): boolean {
	return value === undefined && isNumber !== true && (several || prefix === "");
}

/** What is found, or read, may have the name of a file elsewhere: `find .netrc -exec cat ~/{} ;`, `fd -x cat {/}`. */
export function checkPlaceholders(call: Call, [program, ...rest]: readonly Arg[], mark: RegExp): void {
	if (/^(?:echo|printf)$/u.test(program?.value ?? "")) return;
	const partial = rest.find(
		({ value, text }) => (value ?? text).replace(mark, "") !== "" && mark.test(value ?? text),
	);
	if (partial) call.unknown(`only ${call.name} knows which file ${partial.text} is`);
}

/** fd runs a command for each result. */
export const fd: Handler = (call) => {
	const args = call.args.slice(1);
	const at = args.findIndex((arg) => /^(?:-x|-X|--exec(?:-batch)?)$/u.test(arg.value ?? ""));
	const known = readers.get(call.name) ?? row("exec");
	if (at < 0) return applyRow(call, known);
	const end = args.findIndex((arg, index) => index > at && arg.value === ";");
	// Options, and other commands, may follow a command that has an end.
	applyRow(call, known, [...args.slice(0, at), ...(end < 0 ? [] : args.slice(end + 1))]);
	if (args.slice(at, end < 0 ? args.length : end).some(mayEnd))
		call.unknown("a word that only the shell knows may end the command of fd");
	const given = args.slice(at + 1, end < 0 ? args.length : end);
	checkPlaceholders(call, given, /\{\}/u);
	// A name or a directory alone is elsewhere.
	if (given.some(({ text }) => /\{[./]+\}/u.test(text)))
		call.unknown("only fd knows which files it makes of what it finds");
	const command = given.map((arg) => (/\{[./]*\}/u.test(arg.value ?? "") ? unknownArg(arg.text) : arg));
	// `-X` gives all results to one command.
	const result = unknownArg("{}");
	call.wraps(at + 2, {
		input: shared(call.input),
		args: command.some((arg) => arg.value === undefined)
			? [...command, result]
			: [...command, result, result],
	});
};

/** What these hold is on this machine; hosts and networks are asked of other machines, and shadow is secret. */
const localDatabases = words("passwd group services protocols rpc initgroups");

export const getent: Handler = (call) => {
	const { operands, options, uncertain } = parseOptions(call.args.slice(1));
	const isLocal = options.length + uncertain.length === 0 && localDatabases.has(operands[0]?.value ?? "");
	call.run(isLocal ? { effect: "read" } : { effect: "exec", network: true });
};

/** Words of `ps` whose value is the next one, and letters whose value is the rest of the word. */
const psTakesNext =
	/^(?:-[a-zA-Z]*[CGgOopqstuU]|[a-zA-Z]*[kOopqtU]|--(?:format|sort|p?pid|quick-pid|[uU]ser|[gG]roup|tty|sid|cols|columns|width|rows|lines))$/u;
const psValue = /(?<=^-.*)[CGgOopqstU].*$|(?<!^-.*)[kOopqtU].*$/u;

/** `ps e`, `ps auxe`, `ps -axe`: shows the environment of processes, with the keys in it. `-x` makes it read `-e` that way, too. */
export const ps: Handler = (call) => {
	const args = call.args.slice(1);
	const given = args.filter((_, index) => !psTakesNext.test(args[index - 1]?.value ?? ""));
	const bundles = given.map(({ value }) => (value?.startsWith("--") ? "-" : value?.replace(psValue, "")));
	const dashed = bundles.filter((each) => each?.startsWith("-")).join("");
	const shows =
		bundles.some((each) => each === undefined || (!each.startsWith("-") && each.includes("e"))) ||
		(dashed.includes("x") && dashed.includes("e")) ||
		args.some(({ text }) => /environ/iu.test(text));
	if (shows) call.unknown("ps may show the environment of processes");
	call.run({ effect: shows ? "exec" : "read" });
};

const xmlOptions = words(
	"-noout -format -xpath -nonet -recover -nowarning -noblanks -html -huge -c14n -c14n11 -exc-c14n -pretty -version -encode -nodefdtd -noent -valid -loaddtd -dtdattr -schema -relaxng -dtdvalid -xinclude -output -o -sax -stream -timing -nsclean",
);
/** What these load is named in files: it may be on another machine, and messages about it show its lines. */
const xmlLoads = words(
	"-noent -valid -loaddtd -dtdattr -schema -relaxng -dtdvalid -xinclude -c14n -c14n11 -exc-c14n",
);

/** xmllint opens addresses as it opens files, unless `--nonet` forbids it. */
export const xmllint: Handler = (call) => {
	const parsed = parseOptions(call.args.slice(1), {
		valued: words(
			"-xpath -schema -relaxng -dtdvalid -encode -pretty -output -o --xpath --schema --relaxng --dtdvalid --encode --pretty --output",
		),
		singleDash: true,
	});
	const options = parsed.options.map(({ name, value }) => ({ name: name.replace(/^--/u, "-"), value }));
	const isOffline = options.some(({ name }) => name === "-nonet");
	const files = [
		...parsed.operands,
		...options.flatMap(({ name, value }) => (xmlLoads.has(name) && value ? [value] : [])),
	];
	const loads = options.some(({ name }) => xmlLoads.has(name));
	const isRemote =
		!isOffline &&
		(loads ||
			files.some((arg) =>
				arg.value === undefined ? !/^[./]/u.test(arg.prefix) : arg.value.includes("://"),
			));
	files.forEach((file) => call.read(file));
	const target = options.find(({ name }) => name === "-output" || name === "-o")?.value;
	if (target) call.write(target);
	const isChecked =
		options.every(({ name }) => xmlOptions.has(name)) && parsed.uncertain.length === 0 && !loads;
	call.run({ effect: isRemote || !isChecked ? "exec" : target ? "write" : "read", network: isRemote });
};
