/** Programs that pack, unpack and split files: what they write follows from the names that they read. */
import { dirname } from "node:path";

import { inList, literalArg, parseOptions, unknownArg, words } from "../args.ts";
import { row } from "../table/row.ts";
import type { Handler } from "./context.ts";
import { applyRow } from "./row.ts";

const packed = /\.(?:gz|tgz|bz2|xz|lzma|zst|lz4|br|Z)$/u;

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
	const isOpen =
		options.some(({ name }) => !readingOptions.has(name) && !names.has(name)) || uncertain.length > 0;
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
