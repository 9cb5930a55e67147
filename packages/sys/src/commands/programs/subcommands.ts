/** Judges programs with subcommands by the table. */
import { mayBeOption, parseOptions, type Arg } from "../args.ts";
import type { SubcommandTable } from "../table/known.ts";
import { isForbidden } from "../table/row.ts";
import type { Call } from "./context.ts";

export function subcommand(call: Call, known: SubcommandTable): void {
	const args = call.args.slice(1);
	const { valued, singleDash } = known;
	const parsed = parseOptions(args, { valued, singleDash });
	const { operands, uncertain } = parsed;
	const options = parsed.options.map(({ name }) => ({ name: singleDash ? name.replace(/^--/u, "-") : name }));
	const [first, second] = operands;
	const one = first?.value ?? "";
	const two = `${one}:${second?.value ?? ""}`;
	const is = (list: { has(name: string): boolean }): boolean =>
		list.has(two) || (list.has(one) && one !== "");
	const isMore =
		options.some(({ name }) => !known.options.has(name) && !known.valued.has(name)) ||
		// A script may have the name "": `npm run ''`.
		operands.some(({ value }) => value === "") ||
		operands.slice(1).some((arg) => isRefused(arg, known)) ||
		(known.alone.has(two) && operands.length > 2);
	const isUncertain =
		uncertain.length > 0 ||
		// Whether an option takes the next word is not the same in all subcommands and versions.
		parsed.options.some(({ value }) => value !== undefined && mayHide(value)) ||
		first?.value === undefined ||
		(second !== undefined && second.value === undefined && mayBeOption(second));
	const reads = is(known.reads) && !isMore && !isUncertain;
	const danger = known.dangers.get(two) ?? known.dangers.get(one);
	if (!reads) for (const operand of operands.slice(1)) call.read(operand);
	call.run({
		effect: reads ? "read" : "exec",
		network: (known.network.has("*") && !is(known.local)) || is(known.network),
		danger: reads ? undefined : danger,
	});
}

function mayHide({ value, prefix }: Arg): boolean {
	return /^--?[a-zA-Z]/u.test(value ?? prefix);
}

function isRefused({ value, prefix }: Arg, { refuses, forbids }: SubcommandTable): boolean {
	return (
		refuses.has(value ?? "") || (forbids.length > 0 && (value === undefined || isForbidden(forbids, prefix)))
	);
}
