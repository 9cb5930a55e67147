/** The reason of a question: what would happen, in one line, with everything that the call does. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { shortenHome } from "@tau/utils";

import type { CallItem, FileItem } from "./call-items.ts";
import type { Ask } from "./judge.ts";
import { limits } from "./limits.ts";
import { isWithin } from "./real-path.ts";

export interface ReasonContext {
	/** Paths below it are shown without it. */
	readonly cwd?: string | undefined;
	/** Whether the files are on this machine, so that they can be counted. */
	readonly isHere?: boolean | undefined;
}

/** `forced`: why hooks and extensions ask. */
export function reasonsOf(
	asks: readonly Ask[],
	forced: readonly string[] = [],
	context: ReasonContext = {},
): string {
	const isDeleted = ({ item, cause }: Ask): boolean =>
		cause === "mode" && item.kind === "write" && item.deletes === true && item.paths.length > 0;
	const deleted = asks.filter(isDeleted).map(({ item }) => item as FileItem);
	const others = asks.filter((ask) => !isDeleted(ask) && !isSaidByOthers(ask, asks));
	const reasons = [
		...forced,
		...(deleted.length > 0 ? [deletionOf(deleted, context)] : []),
		...others.map(({ reason }) => reason),
	];
	return [...new Set(reasons)].join("; ");
}

/** `rm changes files` says less than the files, `curl uses the network` less than the host, and of `timeout 5 ls` it is enough that timeout is not on the list. */
function isSaidByOthers({ item, cause, reason }: Ask, asks: readonly Ask[]): boolean {
	const runs = asks.flatMap((other) =>
		other.item.kind === "run" && other.reason === other.item.run.unlisted ? other.item.run : [],
	);
	if (item.kind === "unknown" && item.isIntricate)
		return runs.some(({ unlisted }) => unlisted === item.reason);
	if (item.kind !== "run" || cause !== "mode") return false;
	if (reason === item.run.unlisted && runs.some(({ name }) => name === item.run.within.at(-1))) return true;
	const has = (kind: CallItem["kind"]): boolean =>
		asks.some((other) => other.item.kind === kind && (other.cause === "mode" || other.cause === "protected"));
	if (item.run.effect === "write" && item.run.network !== true)
		return has("write") && item.run.name !== "git";
	return /^(?:curl|wget)$/.test(item.run.name) && has("fetch");
}

function deletionOf(items: readonly FileItem[], { cwd, isHere = true }: ReasonContext): string {
	const names = [...new Set(items.map((item) => shownPath(item, cwd)))];
	const shown = names.slice(0, limits.shownPaths).join(", ");
	const more = names.length > limits.shownPaths ? ` and ${names.length - limits.shownPaths} more` : "";
	const trees = items.filter(({ isTree }) => isTree).flatMap(({ paths }) => paths.at(-1) ?? []);
	return `deletes ${shown}${more}${isHere && trees.length > 0 ? countText([...new Set(trees)]) : ""}`;
}

function shownPath({ paths: [path = ""] }: FileItem, cwd: string | undefined): string {
	if (cwd !== undefined && path !== cwd && isWithin(path, cwd)) return path.slice(cwd.length + 1);
	return shortenHome(path);
}

function countText(trees: readonly string[]): string {
	let count = 0;
	const left = [...trees];
	for (let path = left.pop(); path !== undefined && count <= limits.countedFiles; path = left.pop()) {
		try {
			for (const entry of readdirSync(path, { withFileTypes: true })) {
				if (entry.isDirectory()) left.push(join(path, entry.name));
				else count++;
				if (count > limits.countedFiles) break;
			}
		} catch {
			// A file, or a directory that may not be listed or does not exist: it is named, and not counted.
		}
	}
	if (count === 0) return "";
	if (count > limits.countedFiles) return ` (over ${limits.countedFiles} files)`;
	return count === 1 ? " (1 file)" : ` (${count} files)`;
}
