/** Judges a call of a program by its row in the table. */
import { inList, parseOptions, unknownArg, words, type Arg } from "../args.ts";
import type { CommandEffect } from "../facts.ts";
import { isForbidden, type Row } from "../table/row.ts";
import type { Call, Verdict } from "./context.ts";

/** Judges the words after the program, or after its subcommand. */
export function applyRow(
	call: Call,
	row: Row,
	args: readonly Arg[] = call.args.slice(1),
	extra: Partial<Verdict> = {},
): void {
	const { options, operands, uncertain } = parseOptions(args, row);
	let effect: CommandEffect = row.effect;
	for (const { name, value } of options) {
		if (inList(name, row.output)) {
			effect = wider(effect, "write");
			if (value) call.write(value);
		} else if (inList(name, row.runs)) {
			effect = "exec";
			call.script(value);
		} else if (inList(name, row.changes) || !isChecked(name, row)) {
			effect = "exec";
			// A rule may allow it: `sort --files0-from=list` shows lines of the list, and of the files that it names.
			if (value && row.effect === "read") call.read(value);
			if (inList(name, fileLists)) call.unknown(`only ${call.name} knows which files it reads`);
		} else if (value && (namesFile.test(name) || mayBeFile(value, row))) call.read(value);
	}
	if (options.some(({ value }) => value !== undefined && isHiddenOption(value, row))) effect = "exec";
	const parts = row.forbids.filter((each) => each.startsWith("*"));
	if (options.some(({ name, value }) => row.attached.has(name) && isForbidden(parts, value?.value ?? "")))
		effect = "exec";
	if (row.needs.size > 0 && !options.some(({ name }) => row.needs.has(name))) effect = "exec";
	if (
		operands.some((operand, index) => isForbiddenOperand(operand, row) && !isFileName(operands, index, row))
	)
		effect = "exec";
	if (uncertain.length > 0 && row.effect !== "exec") effect = uncertainEffect(call, row, uncertain, effect);
	// With `grep -e pattern`, the first operand is a file.
	const skipped =
		row.skip === 1 && options.some(({ name }) => /^(?:-e|-f|--(?:reg|fi|from-f).*)$/u.test(name))
			? 0
			: row.skip;
	// `chmod -w file`: the mode looks like an option.
	const hasReference = options.some(
		({ name }) => name.startsWith("--ref") || (call.name === "chmod" && /^-[rwxXst]$/u.test(name)),
	);
	const isChanged = changed(operands.length, row, hasReference);
	const isTree =
		(/^ch(?:mod|own|grp)$/u.test(call.name) &&
			options.some(({ name }) => name === "-R" || name.startsWith("--rec"))) ||
		undefined;
	operands.forEach((operand, index) => {
		if (isChanged(index)) {
			effect = wider(effect, "write");
			call.write(operand, isTree);
		} else if (index >= skipped) call.read(operand);
	});
	// `uniq *`: the second of two names would be written.
	const spreads = operands.find(
		(operand) => operand.value === undefined && (operand.several || operand.glob !== undefined),
	);
	if (row.writes === "second" && spreads) {
		effect = wider(effect, "write");
		call.write(unknownArg(spreads.text));
	}
	const danger = extra.danger ?? row.danger;
	call.run({
		effect: wider(effect, extra.effect ?? "read"),
		network: row.network || (extra.network ?? false),
		danger,
	});
}

/** `git log -S --output=x`, `git log -S --output="$x"`: in some programs or versions, the option before takes no value. */
function isHiddenOption(arg: Arg, row: Row): boolean {
	if (!/^--?[a-zA-Z]/u.test(arg.value ?? arg.prefix)) return false;
	const { options, uncertain } = parseOptions([arg], row);
	if (uncertain.length > 0) return true;
	return options.some(
		({ name }) =>
			[row.output, row.runs, row.changes].some((list) => inList(name, list)) || !isChecked(name, row),
	);
}

/** A word that only the shell knows may be an option that writes or runs something. */
function uncertainEffect(
	call: Call,
	row: Row,
	uncertain: readonly Arg[],
	effect: CommandEffect,
): CommandEffect {
	const [first] = uncertain;
	if (!first) return effect;
	if (row.runs.size > 0) call.unknown(`${first.text} may be an option of ${call.name} that runs a program`);
	if (row.output.size > 0) call.write(unknownArg(first.text, first.prefix));
	const isHarmless = row.options === "any" && row.runs.size + row.output.size + row.changes.size === 0;
	return isHarmless || (row.options === undefined && row.changes.size + row.runs.size + row.output.size === 0)
		? effect
		: "exec";
}

const fileLists = words("--files0-from");

const namesFile = /^(?:-[fFm]|--.*file.*)$/u;

/** Rows of many programs list options that have a value in some of them: `head -n 5`, but `cat -n id_rsa`. */
function mayBeFile({ value, glob, prefix }: Arg, row: Row): boolean {
	return (row.options === "any" && row.skip === 0) || /[./]/u.test(value ?? glob ?? prefix);
}

function isChecked(name: string, { options }: Row): boolean {
	return options === undefined || options === "any" || options.has(name);
}

/** What a pattern gives behind the program of jq is a file: `jq . ./*.json`. */
function isFileName(operands: readonly Arg[], index: number, { skip, noOperands, forbids }: Row): boolean {
	const { value, glob, isName, prefix = "" } = operands[index] ?? {};
	const isPattern = value === undefined && glob !== undefined && (isName === true || /^[\w./]/u.test(prefix));
	const isBehind = skip === 1 && index > 0 && operands[0]?.value !== undefined;
	return !noOperands && isPattern && isBehind && forbids.every((each) => each.startsWith("*"));
}

function isForbiddenOperand({ value, oneOf, prefix, isName }: Arg, { noOperands, forbids }: Row): boolean {
	if (noOperands) return true;
	if (forbids.length === 0) return false;
	if (value !== undefined) return isForbidden(forbids, value);
	if (oneOf) return oneOf.some((each) => isForbidden(forbids, each));
	if (isName && forbids.every((each) => /^[@+]/u.test(each))) return false;
	// Only the shell knows it: its start must show that it is none of them.
	return (
		prefix === "" ||
		forbids.some((each) => each.startsWith("*")) ||
		isForbidden(forbids, prefix) ||
		forbids.some((each) => each.startsWith(prefix))
	);
}

/** With `chmod --reference=a b`, every operand is a file. */
function changed(count: number, { writes, skip }: Row, hasReference: boolean): (index: number) => boolean {
	switch (writes) {
		case "none":
			return () => false;
		case "all":
			return (index) => index >= skip;
		case "last":
			return (index) => index === count - 1;
		case "second":
			// Or a later one, if an option that is not listed took a word before it.
			return (index) => index >= 1;
		case "after first":
			return (index) => index > 0 || hasReference;
	}
}

export function wider(one: CommandEffect, other: CommandEffect): CommandEffect {
	if (one === "exec" || other === "exec") return "exec";
	return one === "write" || other === "write" ? "write" : "read";
}
