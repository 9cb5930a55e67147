/** Agents in trees of their own: what they changed is merged into the project when they are done, or kept. */
import type { Preview } from "@tau/agent";
import { mainAgent, type SessionSpawner } from "@tau/session/host";
import { agentTree } from "@tau/session/trees";
import type {
	IsolatedTree,
	IsolationMode,
	MergedFile,
	MergeOutcome,
	TreeEntry,
} from "@tau/machines/isolation";
import { cutUnits } from "@tau/utils";

import { unify } from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import { everything, unifiedDiff } from "../files/unified-diff.ts";
import type { PlanControl, ToolEnv } from "../tool/env.ts";
import { limits } from "./limits.ts";

const isolationModes = ["none", "auto", "overlay", "worktree", "copy"] as const satisfies IsolationMode[];

export type IsolationEnv = Pick<ToolEnv, "cwd" | "env" | "settings"> &
	Partial<Pick<ToolEnv, "machine" | "sessionEnv" | "journal" | "isTrusted" | "services" | "sandbox">> & {
		readonly sessions: SessionSpawner;
	};

/**
 * `wanted` is what the task or the type says. Agents of an isolated agent work in its tree, so that the setting is for
 * those of the session. Rejects with the reason if no tree can be made: never silently without.
 */
export async function openTree(
	{ sessionEnv, journal, settings, cwd, env, isTrusted, sessions, sandbox, ...call }: IsolationEnv,
	{ label, wanted, signal }: { label: string; wanted: string | undefined; signal: AbortSignal },
): Promise<IsolatedTree | undefined> {
	const asked = isolationModes.find((mode) => mode === wanted);
	const set = settings.get("task.isolation.mode");
	// `auto` leaves the kind of tree to the setting, if that names one.
	const kind = asked === "auto" && set !== "none" ? set : asked;
	const mode = kind ?? (sessions.self === mainAgent ? set : "none");
	// The merge is judged by itself, after the call that started the agent: it may write what the call could not.
	const machine = sessionEnv?.machine ?? call.machine;
	if (mode === "none" || !machine) return undefined;
	return agentTree({
		machine,
		journal,
		settings,
		cwd,
		env,
		isTrusted: isTrusted?.() ?? false,
		label,
		mode,
		overlayProblem: await sandbox?.overlayProblem(),
		signal,
	});
}

/** Trees of one session are merged one after the other. */
const merging = new WeakMap<SessionSpawner["tree"], Promise<unknown>>();

/** What became of the changes, for the model. Empty if there were none. */
export async function mergeTree(
	tree: IsolatedTree,
	{ sessions, agent, isDone, plan, toolCallId, signal }: MergeRequest,
): Promise<string> {
	if (!isDone || plan?.isOn) {
		const { files } = await tree.changes(signal);
		return files.length === 0
			? ""
			: `${plural(files.length)} not merged${plan?.isOn ? ", because the session is in plan mode" : ""}. The changes are kept in ${tree.directory}.`;
	}
	const before = merging.get(sessions.tree) ?? Promise.resolve();
	const refuse = (files: readonly MergedFile[]): Promise<Map<string, string>> =>
		refusedFiles(files, { sessions, agent, toolCallId, signal, ended: merged });
	const merged: ReturnType<IsolatedTree["merge"]> = before.then(() =>
		tree.merge({ signal, toolCallId, refuse }),
	);
	merging.set(
		sessions.tree,
		merged.catch(() => {}),
	);
	return mergeText(await merged, tree);
}

interface MergeRequest {
	sessions: SessionSpawner;
	/** Whose tree it is. */
	agent: string;
	/** Whether the agent has completed its work: half of it is not merged. */
	isDone: boolean;
	/** The user may have switched to plan mode since the agent started: then nothing in the project changes. */
	plan: PlanControl | undefined;
	toolCallId: string | undefined;
	signal: AbortSignal;
}

/** The policy judges the files in the project: commands in the tree may have written what a direct write is asked about. */
async function refusedFiles(
	files: readonly MergedFile[],
	{ sessions, signal, ...of }: Omit<MergeRequest, "isDone" | "plan"> & { ended: Promise<unknown> },
): Promise<Map<string, string>> {
	const byPath = new Map(files.map((file) => [file.absolute, file]));
	const links = files.filter(({ before, after }) => before.kind === "link" || after.kind === "link");
	const refused = await sessions.refusedWrites(
		{
			...of,
			paths: [...byPath.keys()],
			links: links.map(({ absolute }) => absolute),
			preview: (paths) => previewOf(paths.flatMap((path) => byPath.get(path) ?? [])),
		},
		signal,
	);
	return new Map(
		files.flatMap(({ path, absolute }) => {
			const reason = refused.get(absolute);
			return reason === undefined ? [] : [[path, reason]];
		}),
	);
}

/** Undefined unless all of it can be shown: then the paths are. */
function previewOf(files: readonly MergedFile[]): Preview | undefined {
	const diffs = files.map(({ path, before, after }) => {
		const [old, now] = [shownText(before), shownText(after)];
		const [one, other] = [new LineText(old), new LineText(now)];
		const { diff, truncated } = unifiedDiff(one, other, everything(one, other));
		const heads = [before, after].map(({ kind }) => (kind === "absent" ? "/dev/null" : path));
		return { text: `--- ${heads[0]}\n+++ ${heads[1]}\n${diff}`, truncated };
	});
	if (diffs.some(({ truncated }) => truncated)) return undefined;
	return { kind: "diff", text: diffs.map(({ text }) => text).join("\n") };
}

function shownText(entry: TreeEntry): string {
	if (entry.kind === "link") return `link to ${entry.target}`;
	return entry.kind === "file" ? unify(Buffer.from(entry.bytes).toString("utf8")).text : "";
}

function mergeText(
	{ merged, conflicts, refused, problem }: MergeOutcome,
	{ directory }: IsolatedTree,
): string {
	const names = merged.map(({ path, kind }) => `${path} (${kind})`);
	const lines =
		names.length === 0 ? [] : [`Merged into the project: ${cutUnits(names.join(", "), limits.mergedChars)}.`];
	if (problem !== undefined) lines.push(`Not merged: ${problem}. The changes are kept in ${directory}.`);
	if (refused.length > 0) {
		const reasons = refused.map(({ path, reason }) => `${path} (${reason})`);
		lines.push(
			`Not merged, and kept in ${directory}: ${cutUnits(reasons.join(", "), limits.mergedChars)}. Do not write them another way.`,
		);
	}
	if (conflicts.length > 0)
		lines.push(`Not merged because of conflicts, and kept in ${directory}; resolve them in the project:`);
	for (const { path, reason, marked } of conflicts.slice(0, limits.shownConflicts)) {
		lines.push(`- ${path}: ${reason}`);
		if (marked !== undefined) lines.push(cutUnits(marked, limits.conflictChars));
	}
	return lines.join("\n");
}

function plural(count: number): string {
	return count === 1 ? "1 changed file is" : `${count} changed files are`;
}
