/** The session as a tree: its branches and labels. A click continues from there. */
import { isRecord } from "@tau/utils/portable";
import type { CommandResult } from "@tau/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { userTextOf } from "@tau/wire/remote";

import { runCommand } from "../store/actions.ts";
import type { OpenSession } from "../store/open-session.ts";
import { askLine, uncover } from "../store/overlay.ts";
import { Loading } from "./loading.tsx";
import { useLoaded } from "./use-loaded.ts";

type Node = CommandResult<"get_tree">["tree"][number];

interface TreeRow {
	readonly id: string;
	readonly depth: number;
	readonly role: string;
	readonly text: string;
	readonly label: string | undefined;
	readonly isOnPath: boolean;
}

export function TreePanel({ session }: { session: OpenSession }): JSX.Element {
	const { leafId } = session.client.view.tail;
	void session.items.value;
	const loaded = useLoaded(() => session.client.request("get_tree", {}), [leafId]);
	const [search, setSearch] = useState("");
	const rows = loaded.data ? treeRows(loaded.data.tree, loaded.data.leafId) : [];
	const shown = rows.filter(({ text, label = "" }) =>
		`${text} ${label}`.toLowerCase().includes(search.toLowerCase()),
	);
	const label = async (id: string, before: string | undefined): Promise<void> => {
		const text = await askLine("Label", before);
		if (text === undefined) return;
		await runCommand(session, "tree", `label ${id} ${text}`);
		await loaded.reload();
	};
	const goThere = (command: string, args: string): void => {
		uncover();
		void runCommand(session, command, args);
	};
	return (
		<>
			<input
				type="search"
				class="own-words"
				aria-label="Search the tree"
				placeholder="Search"
				value={search}
				onInput={(event) => setSearch(event.currentTarget.value)}
			/>
			<Loading from={loaded} />
			{loaded.data && shown.length === 0 && (
				<p class="muted none">{search === "" ? "Nothing was said yet." : "Nothing found."}</p>
			)}
			<ul class="tree">
				{shown.map((row) => (
					<li
						key={row.id}
						class={`tree-row${row.isOnPath ? " on-path" : ""}`}
						style={{ paddingInlineStart: `${Math.min(row.depth, 12) * 14}px` }}
					>
						<button
							type="button"
							class="tree-entry"
							disabled={!session.may("control")}
							aria-current={row.id === leafId ? "true" : undefined}
							onClick={() => goThere("tree", row.id)}
						>
							<span class="tree-role">{row.role}</span> {row.text || "…"}
							{row.label !== undefined && <span class="tag">{row.label}</span>}
						</button>
						{session.may("control") && (
							<button type="button" class="link" onClick={() => void label(row.id, row.label)}>
								Label
							</button>
						)}
					</li>
				))}
			</ul>
			{session.may("control") && (
				<div class="actions">
					<button type="button" class="chip" onClick={() => goThere("fork", "all")}>
						Fork the session
					</button>
				</div>
			)}
		</>
	);
}

/** What was said; a branch is one step deeper than what it leaves. */
function treeRows(roots: readonly Node[], leafId: string | null): TreeRow[] {
	const rows: TreeRow[] = [];
	const parents = new Map<string, string | null>();
	// By a list of its own: a conversation is deeper than the stack.
	const open = roots.toReversed().map((node) => ({ node, depth: 0 }));
	for (let next = open.pop(); next; next = open.pop()) {
		const { node, depth } = next;
		const { entry, children, label } = node;
		parents.set(entry.id, entry.parentId);
		const said = conversationIn(entry);
		if (said || label !== undefined)
			rows.push({
				id: entry.id,
				depth,
				role: said?.role ?? entry.type,
				text: said?.text ?? "",
				label,
				isOnPath: false,
			});
		const step = children.length > 1 ? depth + 1 : depth;
		for (const child of children.toReversed()) open.push({ node: child, depth: step });
	}
	const path = new Set<string>();
	for (let id: string | null | undefined = leafId; id; id = parents.get(id)) path.add(id);
	return rows.map((row) => (path.has(row.id) ? { ...row, isOnPath: true } : row));
}

function conversationIn(entry: Node["entry"]): { role: string; text: string } | undefined {
	const { message } = entry;
	if (entry.type === "compaction") return { role: "compaction", text: "" };
	if (!isRecord(message)) return undefined;
	const line = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 160);
	if (message.role === "user") return { role: "you", text: line(userTextOf(message)) };
	if (message.role !== "assistant" || !Array.isArray(message.content)) return undefined;
	const text = message.content
		.map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : ""))
		.join(" ");
	return text.trim() === "" ? undefined : { role: "model", text: line(text).replaceAll(/\*\*|`|^#+ /g, "") };
}
