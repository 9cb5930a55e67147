/** `tau trees`: isolated trees of agents that were left, with work that is not in the project. */
import {
	leftoverTrees,
	reopenTree,
	type Leftover,
	type IsolatedTree,
	type MergedFile,
} from "@tau/machines/isolation";
import { join } from "node:path";

import { protectedFromWrites } from "@tau/session/policy";
import { localMachine } from "@tau/sys";
import { dirs, shortenHome, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { isJson, jsonLine, printed } from "./sessions/output.ts";

const { signal } = new AbortController();

export async function runTrees(args: Args): Promise<number> {
	const [action = "list", id] = args.operands;
	if (action === "list")
		return printed(isJson(args) ? (await rows()).map(jsonLine).join("") : await listed());
	const { path: directory, record } = treeNamed(id);
	await using tree = await reopenTree(localMachine(), directory, signal);
	if (action === "merge") return await merged(tree, args.flags.has("auto-approve"));
	const { files } = await tree.changes(signal);
	const lines = files.map(async ({ kind, path }) => {
		const why = await protectedFromWrites(join(record.root, path), process.env);
		return `${kind} ${path}${why === undefined ? "" : ` (protected: ${why})`}\n`;
	});
	return printed((await Promise.all(lines)).join(""));
}

/** The trees that nobody uses, for `tau doctor` as well. */
export async function leftTrees(): Promise<string[]> {
	const found = leftoverTrees(dirs().trees);
	if (found.length === 0) return [];
	const lines = columns(found.map((left) => [`  ${left.record.id}`, ...cellsOf(left)]));
	return ["", `Work of agents that is not merged (${found.length})`, ...lines, "  See tau trees --help."];
}

async function listed(): Promise<string> {
	const lines = await leftTrees();
	return lines.length === 0 ? "No leftover agent worktrees.\n" : `${lines.slice(1).join("\n")}\n`;
}

function cellsOf({ record }: Leftover): string[] {
	const day = new Date(record.startedMs).toISOString().slice(0, 16).replace("T", " ");
	return [record.label ?? "", record.mode, day, shortenHome(record.root)];
}

async function rows(): Promise<unknown[]> {
	return leftoverTrees(dirs().trees).map(({ path, record }) => ({ ...record, path }));
}

function treeNamed(id: string | undefined): Leftover {
	const left = leftoverTrees(dirs().trees).find(({ record }) => record.id === id);
	if (!left) throw new UsageError(`There is no tree ${id ?? "without a name"}. See tau trees list.`);
	return left;
}

/** A name in a list is easily overlooked: what is protected needs a flag. */
async function protectedFiles(files: readonly MergedFile[]): Promise<Map<string, string>> {
	const refused = new Map<string, string>();
	for (const { path, absolute } of files) {
		const why = await protectedFromWrites(absolute, process.env);
		if (why !== undefined) refused.set(path, why);
	}
	return refused;
}

async function merged(tree: IsolatedTree, isApproved: boolean): Promise<number> {
	const refuse = isApproved ? {} : { refuse: protectedFiles };
	const { merged: files, conflicts, refused, problem } = await tree.merge({ signal, ...refuse });
	await printed(
		[
			...files.map(({ kind, path }) => `${kind} ${path}`),
			...conflicts.map(({ path, reason }) => `conflict in ${path}: ${reason}`),
			...(problem === undefined ? [] : [`not merged: ${problem}`]),
			...refused.map(({ path, reason }) => `not merged: ${path} is protected (${reason})`),
			...(refused.length > 0 ? ["To merge protected files too, use --auto-approve."] : []),
			...(conflicts.length + refused.length > 0
				? [`The tree is kept in ${shortenHome(tree.directory)}.`]
				: []),
		]
			.map((line) => `${line}\n`)
			.join(""),
	);
	return conflicts.length + refused.length > 0 || problem !== undefined
		? exitCodes.failed
		: exitCodes.answered;
}
