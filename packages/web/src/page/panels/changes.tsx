/** What the session has changed on disk, and what a reviewer says of it. */
import { isRecord, showControls } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { uncover } from "../store/overlay.ts";
import { attempt } from "../store/toasts.ts";
import { DiffView } from "../transcript/diff-view.tsx";
import { Loading } from "./loading.tsx";
import { Findings, reviewIn, type ReviewData } from "./findings.tsx";
import { useLoaded } from "./use-loaded.ts";

interface ListedFile {
	readonly path: string;
	readonly added: number;
	readonly removed: number;
}

export function ChangesPanel({ session }: { session: OpenSession }): JSX.Element {
	const loaded = useLoaded(
		() => session.client.request("run_command", { name: "diff", args: "" }),
		[session.items.value.length],
	);
	const files = filesIn(loaded.data?.data);
	const [review, setReview] = useState<ReviewData>();
	const [isReviewing, setReviewing] = useState(false);
	const start = async (): Promise<void> => {
		setReviewing(true);
		const done = await attempt(session.client.request("run_command", { name: "review", args: "" }));
		setReviewing(false);
		setReview(done && reviewIn(done.data));
	};
	const use = (text: string): void => {
		uncover();
		session.prefill.value = text;
	};
	return (
		<>
			<Loading from={loaded} />
			{loaded.data && files.length === 0 && <p class="muted">Nothing has changed.</p>}
			{files.map((file) => (
				<ChangedFile key={file.path} session={session} file={file} />
			))}
			{files.length > 0 && session.may("control") && (
				<div class="actions">
					<button type="button" class="chip" disabled={isReviewing} onClick={() => void start()}>
						{isReviewing ? "Reviewing…" : "Review the changes"}
					</button>
				</div>
			)}
			{review && <Findings review={review} onUse={use} />}
		</>
	);
}

function ChangedFile({ session, file }: { session: OpenSession; file: ListedFile }): JSX.Element {
	const [isOpen, setOpen] = useState(false);
	return (
		<details class="file-preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>
				<code>{showControls(file.path)}</code>
				<span class="counts">
					<span class="count-added">+{file.added}</span> <span class="count-removed">−{file.removed}</span>
				</span>
			</summary>
			{isOpen && <FileDiff session={session} path={file.path} />}
		</details>
	);
}

function FileDiff({ session, path }: { session: OpenSession; path: string }): JSX.Element {
	const loaded = useLoaded(() => session.client.request("run_command", { name: "diff", args: path }), [path]);
	const diff = isRecord(loaded.data?.data) ? loaded.data.data.diff : undefined;
	return (
		<>
			<Loading from={loaded} />
			{typeof diff === "string" && <DiffView text={diff} />}
		</>
	);
}

/** The reply of the command is data of another process. */
function filesIn(data: unknown): ListedFile[] {
	if (!isRecord(data) || !Array.isArray(data.files)) return [];
	return data.files.flatMap((file: unknown) => {
		if (!isRecord(file) || typeof file.path !== "string") return [];
		const { path, added, removed } = file;
		return [{ path, added: Number(added) || 0, removed: Number(removed) || 0 }];
	});
}
