/** A call that the tool accepts is never interrupted while it streams: in every mode, key order and chunking. */
import { expect, test } from "bun:test";
import { cpSync, existsSync, writeFileSync } from "node:fs";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { callTool, testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import type { EditMode } from "../files/edit-mode.ts";
import { recordRead } from "../files/snapshots.ts";
import { StreamedEdit } from "./guard.ts";
import {
	five,
	forgivenBlanks,
	indentedCode,
	keptLineEnds,
	lastLineEdits,
	lineEdits,
	lineEndEdit,
	patchFixtures,
} from "../../../../test/support/edit-calls.ts";
import { Dice, quickFolder, repairs, spoil, withContext } from "../../../../test/support/mutations.ts";
import { edit } from "./tool.ts";

/** A call, and how to create its files. */
interface Call {
	mode: EditMode;
	prepare(env: TestToolEnv): void | Promise<void>;
	args: Record<string, unknown>;
}

function replacing(before: string, edits: Record<string, unknown>[]): Call {
	return {
		mode: "replace",
		prepare: (env) => writeFileSync(env.resolve("f"), before),
		args: { path: "f", edits },
	};
}

/** The lines are numbered as in `seen`; the file may have changed since. */
function numbered(seen: string, edits: Record<string, unknown>[], now = seen): Call {
	const args: Record<string, unknown> = { path: "f", edits };
	return {
		mode: "hashline",
		async prepare(env) {
			args.tag = await recordRead(env, env.resolve("f"), seen);
			writeFileSync(env.resolve("f"), now);
		},
		args,
	};
}

const replaceFixtures: Call[] = [
	...keptLineEnds.map(([, before]) => replacing(before, [lineEndEdit])),
	...forgivenBlanks.map(([, oldText, newText]) => replacing(indentedCode, [{ oldText, newText }])),
	replacing("a\nb\naa\n", [{ oldText: "a", newText: "x", all: true }]),
	replacing("one\ntwo\nthree\n", [
		{ oldText: "three", newText: "one" },
		{ oldText: "one", newText: "three" },
	]),
];

const hashlineFixtures: Call[] = [
	...lineEdits.map(([, edits]) => numbered(five, edits)),
	...lineEdits.map(([, edits]) => numbered(five, edits, `zero\n${five}six\n`)),
	...lastLineEdits.map(([before, change]) => numbered(before, [change])),
];

const spoiltFile = fc.integer({ min: 1, max: 2 ** 31 }).map((seed) => spoil(new Dice(seed)));

/** Random repairs of real files, copied with or without whitespace mistakes. */
const randomReplace = fc
	.tuple(spoiltFile, fc.constantFrom("", "\t", "  "), fc.constantFrom("", " "), fc.boolean())
	.map(([spoilt, indent, behind, hasBlanksAround]) => {
		const slip = (lines: readonly string[]) =>
			lines.map((line) => (line.trim() === "" ? line : indent + line + behind)).join("\n");
		const around = hasBlanksAround ? "\n\n" : "";
		const edits = withContext(spoilt, repairs(spoilt), 2).map(({ start, end, lines }) => ({
			oldText: around + slip(spoilt.lines.slice(start, end)) + around,
			newText: around + slip(lines) + around,
		}));
		return replacing(spoilt.spoilt, edits);
	});

const randomNumbers = fc.tuple(spoiltFile, fc.boolean()).map(([spoilt, hasChanged]) => {
	const edits = repairs(spoilt).map(({ start, end, lines }) => ({
		...(start === end ? { after: start } : { from: start + 1, ...(end > start + 1 ? { to: end } : {}) }),
		text: lines.map((line) => `${line}\n`).join(""),
	}));
	return numbered(spoilt.spoilt, edits, hasChanged ? `first\n${spoilt.spoilt}` : spoilt.spoilt);
});

/** Text that models put around a patch, or leave out. */
const wrappings: ((patch: string) => string)[] = [
	(patch) => patch,
	(patch) => `\n \n${patch}\n\n`,
	(patch) => `\`\`\`diff\n${patch}\n\`\`\`\n`,
	(patch) => `apply_patch <<'EOF'\n${patch}\nEOF\n`,
	(patch) => patch.replaceAll("\n", "\r\n"),
	(patch) => patch.replace(/\*\*\* End Patch\s*$/, " *** End Patch"),
	(patch) => patch.replace(/\*\*\* End Patch\s*$/, " *** End Patch\n \n"),
	(patch) => `\n\`\`\`\n${patch.replace(/\*\*\* End Patch\s*$/, "\t*** End Patch  ")}\n  \`\`\``,
	(patch) => patch.trimEnd(),
];

const fixturePatch = fc.constantFrom(...patchFixtures).map(({ directory, input }) => ({
	input,
	prepare: (env: TestToolEnv) => {
		if (existsSync(directory)) cpSync(directory, env.cwd, { recursive: true });
	},
}));

const randomPatch = spoiltFile.map((spoilt) => ({
	input: [
		"*** Begin Patch",
		"*** Update File: f",
		...withContext(spoilt, repairs(spoilt), 2).flatMap(({ start, end, lines }) => [
			"@@",
			...spoilt.lines.slice(start, end).map((line) => `-${line}`),
			...lines.map((line) => `+${line}`),
			...(end === spoilt.lines.length ? ["*** End of File"] : []),
		]),
		"*** End Patch",
		"",
	].join("\n"),
	prepare: (env: TestToolEnv) => writeFileSync(env.resolve("f"), spoilt.spoilt),
}));

const patchCall = fc
	.tuple(fc.oneof(fixturePatch, randomPatch), fc.constantFrom(...wrappings))
	.map(([{ input, prepare }, wrap]): Call => ({
		mode: "apply_patch",
		prepare,
		args: { input: wrap(input) },
	}));

/** Shapes that the tool coerces before it validates them. */
const shapes: ((args: Record<string, unknown>) => Record<string, unknown>)[] = [
	(args) => args,
	(args) => args,
	(args) => (args.edits === undefined ? args : { ...args, edits: JSON.stringify(args.edits) }),
	(args) =>
		Array.isArray(args.edits) && args.edits.length === 1
			? { ...args, edits: args.edits[0] as unknown }
			: args,
	(args) => ({ ...args, edits: eachNumber(args.edits, String) }),
	(args) => ({ unknown: { path: "nowhere", edits: [{ oldText: "qqqq" }] }, ...args }),
];

function eachNumber(value: unknown, change: (number: number) => unknown): unknown {
	if (typeof value === "number") return change(value);
	if (Array.isArray(value)) return value.map((item) => eachNumber(item, change));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, eachNumber(inner, change)]));
}

/** The keys of every object in an order that the numbers choose. */
function shuffled(value: unknown, order: () => number): unknown {
	if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.map(([key, inner]) => ({ rank: order(), key, inner: shuffled(inner, order) }))
			.toSorted((a, b) => a.rank - b.rank)
			.map(({ key, inner }) => [key, inner]),
	);
}

function piecesOf(text: string, longest: number, dice: Dice): string[] {
	const pieces: string[] = [];
	for (let at = 0; at < text.length;) {
		const length = 1 + dice.roll(longest);
		pieces.push(text.slice(at, at + length));
		at += length;
	}
	return pieces;
}

/** How the arguments of a call arrive. */
interface Arrival {
	/** Chooses the order of keys and the chunks. */
	seed: number;
	/** The length of the longest chunk. */
	longest: number;
	indent: number;
	shape: (args: Record<string, unknown>) => Record<string, unknown>;
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
	seed: fc.integer({ min: 1, max: 2 ** 31 }),
	longest: fc.constantFrom(1, 7, 60),
	indent: fc.constantFrom(0, 2),
	shape: fc.constantFrom(...shapes),
});

interface Outcome {
	stopped: string | undefined;
	isAccepted: boolean;
}

async function stream(call: Call, { seed, longest, indent, shape }: Arrival): Promise<Outcome> {
	using folder = quickFolder();
	await using env = await testToolEnv({ cwd: folder.path });
	await env.settings.set("edit.mode", call.mode, "session");
	await call.prepare(env);
	const dice = new Dice(seed);
	const json = JSON.stringify(
		shuffled(shape(call.args), () => dice.roll(1000)),
		null,
		indent,
	).replaceAll("{cwd}", env.cwd);
	const guarded = new StreamedEdit(env);
	let stopped: string | undefined;
	for (const piece of piecesOf(json, longest, dice)) {
		const verdict = await guarded.push(piece);
		if (!verdict.ok) stopped ??= verdict.reason;
	}
	const result = await callTool(edit.bind(env), JSON.parse(json) as Record<string, unknown>);
	return { stopped, isAccepted: result.isError !== true };
}

const calls: [name: string, call: fc.Arbitrary<Call>, runs: number][] = [
	["replace", fc.oneof(fc.constantFrom(...replaceFixtures), randomReplace), samples(400)],
	["hashline", fc.oneof(fc.constantFrom(...hashlineFixtures), randomNumbers), samples(400)],
	["apply_patch", patchCall, samples(600)],
];

test.each(calls)(
	"%s",
	async (_, call, runs) => {
		let accepted = 0;
		await fc.assert(
			fc.asyncProperty(call, arrival, async (one, how) => {
				const { stopped, isAccepted } = await stream(one, how);
				if (isAccepted) expect(stopped).toBeUndefined();
				if (isAccepted) accepted++;
			}),
			{ numRuns: runs },
		);
		// The property does not cover calls that the tool rejects.
		expect(accepted).toBeGreaterThan(runs / 3);
	},
	180_000,
);

test("every fixture, character by character", async () => {
	const patches = patchFixtures.map(({ directory, input }): Call => ({
		mode: "apply_patch",
		prepare: (env) => {
			if (existsSync(directory)) cpSync(directory, env.cwd, { recursive: true });
		},
		args: { input },
	}));
	const letterByLetter = { seed: 1, longest: 1, indent: 0, shape: (args: Record<string, unknown>) => args };
	for (const call of [...replaceFixtures, ...hashlineFixtures, ...patches]) {
		const { stopped, isAccepted } = await stream(call, letterByLetter);
		if (isAccepted) expect([call.args, stopped]).toEqual([call.args, undefined]);
	}
});
