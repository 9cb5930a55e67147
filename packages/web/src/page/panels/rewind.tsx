/** Goes back to one of the user's messages: the conversation, the files, or both, with a look at what would change. */
import { plural, showControls } from "@tau/utils/portable";
import type { CommandResult } from "@tau/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { panel, rewindTarget } from "../store/overlay.ts";
import { attempt, toast } from "../store/toasts.ts";
import { DiffView } from "../transcript/diff-view.tsx";
import { Loading } from "./loading.tsx";
import { useLoaded } from "./use-loaded.ts";

type Point = CommandResult<"get_rewind_points">["points"][number];
type PlannedFile = CommandResult<"preview_rewind">["files"][number];

export function RewindPanel({ session }: { session: OpenSession }): JSX.Element {
	const loaded = useLoaded(
		() => session.client.request("get_rewind_points", {}),
		[session.items.value.length],
	);
	const chosen = rewindTarget.value;
	const point = loaded.data?.points.find(({ entryId }) => entryId === chosen);
	if (point) return <Chosen session={session} point={point} />;
	return (
		<>
			<Loading from={loaded} />
			{loaded.data?.points.length === 0 && <p class="muted none">There is no message to go back to yet.</p>}
			<ul class="points">
				{loaded.data?.points.toReversed().map((each) => (
					<li key={each.entryId}>
						<button type="button" class="card" onClick={() => (rewindTarget.value = each.entryId)}>
							<span class="point-text">{each.text}</span>
							<span class="muted">
								{each.files === 0
									? "no files differ"
									: each.files === 1
										? "1 file differs"
										: `${each.files} files differ`}
							</span>
						</button>
					</li>
				))}
			</ul>
			<div class="actions">
				<button type="button" class="chip" onClick={() => void redo(session)}>
					Redo the last rewind
				</button>
			</div>
		</>
	);
}

async function redo(session: OpenSession): Promise<void> {
	const done = await attempt(session.client.request("redo_rewind", {}));
	if (done) toast(`Restored ${plural(done.restored.length, "file")}.`, "success");
}

const conflicts: Readonly<Record<string, string>> = {
	changed: "you have changed it since",
	"edited-between": "it was edited in between",
	background: "a background command has changed it",
	outside: "it is outside of the project",
	link: "it is a link",
	"not-kept": "its old state was not kept",
};

function Chosen({ session, point }: { session: OpenSession; point: Point }): JSX.Element {
	const { entryId, text } = point;
	const preview = useLoaded(
		() => session.client.request("preview_rewind", { entryId, diff: true }),
		[entryId],
	);
	const [overwrite, setOverwrite] = useState(false);
	const [isWorking, setWorking] = useState(false);
	const hasConflict = preview.data?.files.some(({ conflict }) => conflict !== undefined) ?? false;
	const go = async (restore: "conversation" | "files" | "both"): Promise<void> => {
		setWorking(true);
		const done = await attempt(
			session.client.request("rewind", { entryId, restore, ...(overwrite ? { overwrite: true } : {}) }),
		);
		setWorking(false);
		if (!done || done.cancelled) return;
		if (done.text !== undefined) session.prefill.value = done.text;
		if (done.files)
			toast(
				`Restored ${plural(done.files.restored.length, "file")}${done.files.skipped.length > 0 ? `, skipped ${done.files.skipped.length}` : ""}.`,
				"success",
			);
		rewindTarget.value = undefined;
		panel.value = undefined;
	};
	return (
		<>
			<button type="button" class="link" onClick={() => (rewindTarget.value = undefined)}>
				← All messages
			</button>
			<blockquote class="point-text">{text}</blockquote>
			<Loading from={preview} />
			{preview.data?.files.map((file) => (
				<FilePreview key={file.path} file={file} />
			))}
			{hasConflict && (
				<label class="option">
					<input
						type="checkbox"
						checked={overwrite}
						onChange={(event) => setOverwrite(event.currentTarget.checked)}
					/>
					<span>Restore files with a conflict too</span>
				</label>
			)}
			<div class="choices">
				<button type="button" class="primary" disabled={isWorking} onClick={() => void go("both")}>
					Both conversation and files
				</button>
				<button type="button" disabled={isWorking} onClick={() => void go("conversation")}>
					Only the conversation
				</button>
				<button
					type="button"
					disabled={isWorking || preview.data?.files.length === 0}
					onClick={() => void go("files")}
				>
					Only the files
				</button>
			</div>
		</>
	);
}

function FilePreview({ file }: { file: PlannedFile }): JSX.Element {
	const note = file.lost === undefined ? conflicts[file.conflict ?? ""] : `cannot be restored: ${file.lost}`;
	return (
		<details class="file-preview">
			<summary>
				<span class="tag">{file.action}</span> <code>{showControls(file.path)}</code>{" "}
				{note !== undefined && <span class="tag tag-bad">{note}</span>}
			</summary>
			{file.diff !== undefined && <DiffView text={file.diff} />}
		</details>
	);
}
