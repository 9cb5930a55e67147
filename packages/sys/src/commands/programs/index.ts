/** Judges one call of a program: by a handler of its own, by its row in a table, or as something that runs anything. */
import {
	byName,
	dangers,
	hasSubcommands,
	listerOf,
	readers,
	subcommandsOf,
	versioned,
	writers,
} from "../table/known.ts";
import type { Call, Handler } from "./context.ts";
import { compress, mktemp, patch, split, tar, unzip } from "./archives.ts";
import { git } from "./git.ts";
import { applyRow } from "./row.ts";
import {
	assigns,
	cd,
	declare,
	evalBuiltin,
	jobs,
	kill,
	otherShell,
	redefines,
	shell,
	shellOptions,
	source,
	trap,
} from "./shells.ts";
import { subcommand } from "./subcommands.ts";
import { awk, copies, curl, dd, fd, getent, ps, rm, sed, settable, wget, xmllint } from "./tools.ts";
import { commandBuiltin, env, find, isWrapper, parallel, rsync, wrapper, xargs } from "./wrappers.ts";

const handlers: ReadonlyMap<string, Handler> = byName({
	"sh bash dash ash rbash": shell,
	"zsh fish ksh mksh csh tcsh nu pwsh powershell xonsh elvish": otherShell,
	eval: evalBuiltin,
	"source .": source,
	trap,
	"cd pushd popd": cd,
	"export declare typeset local readonly": declare,
	"read mapfile readarray getopts unset printf let wait test [": assigns,
	"alias unalias hash enable complete bind": redefines,
	"set shopt": shellOptions,
	"command builtin exec": commandBuiltin,
	env,
	xargs,
	"find gfind": find,
	parallel,
	rsync,
	"sed gsed": sed,
	"awk gawk mawk nawk": awk,
	"tar gtar": tar,
	dd,
	rm,
	curl,
	wget,
	"cp mv ln link install": copies,
	"date hostname domainname": settable,
	ps,
	getent,
	xmllint,
	jobs,
	"fd fdfind": fd,
	"gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 brotli compress uncompress": compress,
	unzip,
	"split csplit": split,
	patch,
	mktemp,
	kill,
	git,
});

export function judge(call: Call): void {
	const { name } = call;
	if (asksForVersion(call) || onlyLists(call)) return call.run({ effect: "read" });
	const handler = handlers.get(name);
	if (handler) return handler(call);
	if (isWrapper(name)) return wrapper(call);
	const known = readers.get(name) ?? writers.get(name);
	if (known) return applyRow(call, known);
	const table = subcommandsOf(name);
	if (table) return subcommand(call, table);
	const danger = dangers.get(name) ?? (name.startsWith("mkfs.") ? dangers.get("mkfs") : undefined);
	if (danger) return applyRow(call, danger);
	for (const arg of call.args.slice(1)) if (!arg.prefix.startsWith("-")) call.read(arg);
	call.run({ effect: "exec", network: name === "npx" || name === "bunx" });
}

function asksForVersion({ name, args }: Call): boolean {
	return args.length === 2 && args[1]?.value === "--version" && (versioned.has(name) || handlers.has(name));
}

function onlyLists({ name, args }: Call): boolean {
	const lister = listerOf(name);
	if (!lister) return false;
	const words = args.slice(1).map(({ value }) => value);
	const isOption = (word: string | undefined): boolean => word !== undefined && lister.options.has(word);
	const others = words.filter((word) => !isOption(word));
	return (
		words.some(isOption) &&
		others.every((word) => lister.operands && word !== undefined && !word.startsWith("-"))
	);
}

/** A function with such a name would be mistaken for the program. */
export function isKnownName(name: string): boolean {
	return (
		handlers.has(name) ||
		isWrapper(name) ||
		readers.has(name) ||
		writers.has(name) ||
		hasSubcommands(name) ||
		versioned.has(name) ||
		listerOf(name) !== undefined ||
		dangers.has(name)
	);
}
