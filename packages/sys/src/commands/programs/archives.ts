/** Programs that pack, unpack and split files: what they write follows from the names that they read. */
import { basename, dirname } from "node:path";

import { inList, literalArg, parseOptions, unknownArg, words, type Arg } from "../args.ts";
import { row } from "../table/row.ts";
import type { Handler } from "./context.ts";
import { applyRow } from "./row.ts";

const packed = /\.(?:gz|bz2|xz|lzma|zst|lz4|br|Z)$/u;
/** What is packed keeps its name, and an ending follows. */
const packers = words("gzip bzip2 xz lzma zstd lz4 brotli compress");

/** With these nothing is written, or only to standard output; `zstd --rm` deletes, `--output-dir-flat` writes. */
const readingOptions = words(
	"-c -d -f -k -l -n -N -q -r -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 -T -S --stdout --to-stdout --decompress --uncompress --keep --list --test --quiet --verbose --fast --best --threads --no-name --name --recursive",
);

/** `gzip a` replaces a by a.gz, `gunzip a.gz` the other way round. */
export const compress: Handler = (call) => {
	const { options, operands, uncertain } = parseOptions(call.args.slice(1), {
		valued: words("-S -o -T -D -M --suffix --threads --output"),
	});
	const has = (list: string): boolean => options.some(({ name }) => inList(name, words(list)));
	const output = options.find(({ name }) => name === "-o" || name === "--output")?.value;
	if (output) call.write(output);
	const reads =
		has("-c -t -l --stdout --to-stdout --test --list") &&
		!output &&
		// It reads names otherwise: `-l` writes an old format, the second name is the output.
		call.name !== "lz4" &&
		uncertain.length === 0 &&
		options.every(({ name }) => readingOptions.has(name));
	for (const operand of operands) {
		call.read(operand);
		if (reads) continue;
		call.write(operand);
		if (operand.value !== undefined)
			call.write(
				literalArg(packed.test(operand.value) ? operand.value.replace(packed, "") : `${operand.value}.gz`),
			);
	}
	// Without names it reads its input, unless an option names a list of files (`xz --files=list`).
	const isFilter =
		operands.length === 0 && uncertain.length === 0 && options.every(({ name }) => readingOptions.has(name));
	const effect = reads || isFilter ? "read" : "write";
	const names = words("-o -D -M -m -z --output --compress --force --rm --suffix --format --check --extreme");
	// Other options name other files and directories: `xz --files=list`, `zstd --output-dir-flat=x`.
	// What is unpacked gets a name that its head or its ending decides: `gunzip -N x.gz`, `gunzip -S .x .mcp.json.x`.
	const unpacks = !packers.has(call.name) || has("-d -D --decompress --uncompress");
	const isRenamed =
		unpacks && (has("-N --name") || operands.some(({ value }) => value === undefined || !packed.test(value)));
	// `gzip -S .json .mcp`, and the files in a directory of any name: `gunzip -r d.gz`.
	const isOpen =
		isRenamed ||
		has("-S -r --suffix --recursive") ||
		options.some(({ name }) => !readingOptions.has(name) && !names.has(name)) ||
		uncertain.length > 0;
	if (effect === "write" && (isOpen || (operands.length === 0 && !output))) call.write(unknownArg(call.text));
	call.run({ effect });
};

export const unzip: Handler = (call) => {
	const { options, operands, uncertain } = parseOptions(call.args.slice(1), { valued: words("-d -x -P") });
	// Options end at the archive; a dash inside of them takes back what was asked for (`-l-l`).
	const leading = parseOptions(call.args.slice(1), { stopsAtOperand: true }).options;
	const reads =
		leading.some(({ name }) => /^-[lptvzZ]$/u.test(name)) &&
		leading.every(({ name }) => /^-[\w]$/u.test(name)) &&
		uncertain.length === 0;
	const target = options.find(({ name }) => name === "-d")?.value;
	operands.slice(0, 1).forEach((archive) => call.read(archive));
	if (!reads) {
		call.write(target ?? literalArg("."), true);
		call.arrives(target ?? literalArg("."));
		// With `-:` the names of the archive decide.
		if (call.args.some(({ value = ":" }) => /^-.*:/u.test(value))) call.write(unknownArg(call.text));
	}
	call.run({ effect: reads ? "read" : "write" });
};

/** The pieces are files beside each other, in the directory of their prefix. */
export const split: Handler = (call) => {
	const known = row("write", {
		valued:
			call.name === "csplit"
				? "-b -f -n --suffix-format --prefix --digits"
				: "-b -l -n -a -C -t --bytes --lines --number --suffix-length --line-bytes --separator --additional-suffix",
		runs: "--filter",
	});
	const { operands, options } = parseOptions(call.args.slice(1), known);
	const named = options.find(({ name }) => name === "-f" || inList(name, words("--prefix")))?.value;
	const last = operands.slice(1);
	const prefixes =
		call.name === "csplit" ? [named ?? literalArg("xx")] : last.length > 0 ? last : [literalArg("x")];
	// The end of the names is made of letters, digits or what `-b` says: `split -a1 --additional-suffix=.json f .mc`.
	const isHidden =
		prefixes.some(({ value }) => value === undefined || basename(value).includes(".")) ||
		(call.name === "csplit" && options.some(({ name }) => name === "-b" || name.startsWith("--su")));
	// `split -a1 --additional-suffix=.json f opencod` and `split -a1 f opencode.jso` make `opencode.json`.
	const isEnded = options.some(({ name }) => name.startsWith("--ad"));
	if (isHidden || isEnded) call.write(unknownArg(call.text));
	for (const prefix of prefixes)
		call.writeIn(prefix.value === undefined ? unknownArg(prefix.text) : literalArg(dirname(prefix.value)), {
			into: true,
		});
	// The end of the names may lead elsewhere: `csplit -b /../../%d`.
	const ending = call.args.find(({ value = "/", prefix: start }) => /^-.*\//u.test(`${start}${value}`));
	const next = call.args.findIndex(({ value }) => value === "-b" || value === "--suffix-format");
	const separate = next < 0 || call.name !== "csplit" ? undefined : call.args[next + 1];
	for (const arg of [ending, separate])
		if (arg && (arg.value ?? "/").includes("/")) call.write(unknownArg(arg.text));
	applyRow(call, known);
};

/** The files to patch are named in the patch. */
export const patch: Handler = (call) => {
	call.write(unknownArg(call.text));
	applyRow(
		call,
		row("write", {
			valued: "-p -d -i -F -B -V -z --strip --input --directory",
			output: "-o -r --output --reject-file",
		}),
	);
};

export const mktemp: Handler = (call) => {
	const { operands, options } = parseOptions(call.args.slice(1), { valued: words("-p --suffix") });
	const directory = options.find(({ name }) => name === "-p" || name.startsWith("--tmpdir"))?.value;
	const inTemporary =
		directory === undefined && (operands.length === 0 || options.some(({ name }) => name === "-t"));
	if (inTemporary) call.write(literalArg("/tmp/tmp.XXXXXXXXXX"));
	else call.write(directory ?? operands[0] ?? unknownArg(call.text));
	call.run({ effect: "write" });
};

/** Tar takes the part before a colon for the name of a machine, unless there is a slash in it. */
function isRemoteArchive({ value, prefix, glob }: Arg): boolean {
	if (value !== undefined) return /^[^/]+:/u.test(value);
	return !prefix.includes("/") && !/^\.{1,2}$/u.test(prefix) && !/^[^/:*?[]*$/u.test(glob ?? "*");
}

/** Those that were checked; the ones that run programs or read lists are refused with a reason of their own. */
const tarOptions = words(
	"-c -t -x -r -u -d -A -z -j -J -Z -a -v -f -C -p -k -m -O -h -o -S -W -U -l -w -P -X -b -N -s -I -F -T -M -L -g --list --create --extract --get --append --update --diff --compare --delete --catenate --concatenate --gzip --gunzip --bzip2 --xz --zstd --lz4 --lzma --lzip --auto-compress --verbose --file --directory --preserve-permissions --same-permissions --keep-old-files --skip-old-files --keep-newer-files --overwrite --touch --to-stdout --dereference --hard-dereference --sparse --verify --unlink-first --exclude --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches --exclude-from --strip-components --wildcards --no-wildcards --wildcards-match-slash --anchored --no-anchored --ignore-case --numeric-owner --owner --group --mode --mtime --sort --format --pax-option --one-file-system --totals --no-same-owner --same-owner --no-same-permissions --block-number --full-time --utc --quoting-style --recursion --no-recursion --null --delay-directory-restore --warning --ignore-failed-read --ignore-zeros --occurrence --label --index-file --remove-files --absolute-names --one-top-level --keep-directory-symlink --transform --xform",
);

export const tar: Handler = (call) => {
	// The first word may be a bundle of options without a dash.
	const [first, ...rest] = call.args.slice(1);
	const isBundle = first?.value !== undefined && /^[A-Za-z]+$/u.test(first.value);
	// Its values follow in the order of the letters: only a last `f` means the same as with a dash.
	if (isBundle && (/[IFTXKLNVHgbC]/u.test(first.value) || /f./u.test(first.value)))
		call.unknown("options of tar that are not understood");
	const bundle = isBundle ? [{ ...first, value: `-${first.value}` }, ...rest] : call.args.slice(1);
	const { options, operands, uncertain } = parseOptions(bundle, {
		valued: words(
			"-f -C -T -X -I -F -b -g -H -K -L -N -V --file --directory --files-from --exclude-from --exclude --use-compress-program --transform --xform --strip-components --owner --group --mode --info-script --new-volume-script --to-command --checkpoint-action --rsh-command --rmt-command --listed-incremental --index-file --volno-file --tape-length --blocking-factor --record-size --format --label --level --mtime --newer --newer-mtime --after-date --owner-map --group-map --pax-option --quote-chars --quoting-style --sort --sparse-version --starting-file --suffix --warning --exclude-ignore --exclude-ignore-recursive --exclude-tag --exclude-tag-all --exclude-tag-under --hole-detection --add-file --set-mtime-command --set-mtime-format",
		),
	});
	const has = (list: string): boolean => options.some(({ name }) => inList(name, words(list)));
	const archive = options.find(({ name }) => name === "-f" || name === "--file")?.value;
	const lists =
		has("-t --list --compare --diff -d") &&
		!has("-x -c -r -u --extract --get --create --append --update --delete");
	const runs = [
		"--to-command",
		"--checkpoint-action",
		"--use-compress-program",
		"-I",
		"-F",
		"--info-script",
		"--new-volume-script",
		"--rsh-command",
		"--rmt-command",
		"--set-mtime-command",
	];
	if (
		options.some(
			({ name }) =>
				inList(name, new Set(runs)) || /^--(?:to-c|check|use|info|new-v|rsh|rmt|set-m)/u.test(name),
		)
	)
		call.unknown("an option of tar runs a program");
	if (uncertain.length > 0)
		call.unknown(`${uncertain[0]?.text ?? ""} may be an option of tar that runs a program`);
	// Such names are those of no file that was judged: `dotgit` becomes `.git`.
	if (has("--transform --xform -s")) call.unknown("tar changes the names of files");
	if (has("-T --files-from")) call.unknown("a list of files for tar may contain options");
	if (options.some(({ name, value }) => /^(?:-f|--fi\w*)$/u.test(name) && value && isRemoteArchive(value)))
		call.unknown("tar connects to another machine");
	if (has("-M -L --multi-volume --tape-length --volno-file"))
		call.unknown("tar asks for volumes, and notes their number in a file");
	const other = options.find(({ name }) => !tarOptions.has(name));
	if (other) call.unknown(`${other.name} is an option of tar that is not understood`);
	if (has("-c -r -u -A --create --append --update --catenate --concatenate --delete")) {
		if (archive) call.write(archive);
		for (const { name, value } of options)
			if (value && inList(name, words("-C --directory"))) call.read(value);
		operands.forEach((operand) => call.read(operand));
	} else {
		if (archive) call.read(archive);
		const target = options.find(({ name }) => name === "-C" || inList(name, words("--directory")))?.value;
		if (!lists && !has("-O --to-stdout")) {
			call.write(target ?? literalArg("."), true);
			call.arrives(target ?? literalArg("."));
			// Then the names of the archive decide, or a second directory.
			const moves =
				options.filter(({ name }) => name === "-C" || inList(name, words("--directory"))).length > 1;
			if (moves || has("-P --absolute-names --one-top-level --keep-directory-symlink"))
				call.write(unknownArg(call.text));
		}
	}
	if (has("--index-file -g --listed-incremental --remove-files")) call.write(unknownArg("tar"));
	call.run({ effect: lists ? "read" : "write" });
};
