/** What goes with the next prompt. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { Icon, IconButton } from "../parts/icon.tsx";
import { lazy } from "../parts/lazy.tsx";
import type { AddedFile, Attachments } from "./attachments.ts";

const AttachmentPreview = lazy(
	async () => (await import("../documents/attachment-preview.tsx")).AttachmentPreview,
);

export function AttachmentList({ attachments }: { attachments: Attachments }): JSX.Element | null {
	const [openId, setOpenId] = useState<number>();
	const list = attachments.list.value;
	const open = list.find(({ id }) => id === openId);
	if (list.length === 0) return null;
	return (
		<>
			<ul class="attachments" aria-label="Attachments">
				{list.map((each) => (
					<li key={each.id} class={`attachment attachment-${each.state}`} title={each.reason ?? each.name}>
						<button
							type="button"
							class="attachment-open"
							aria-label={`Preview ${each.name}`}
							onClick={() => setOpenId(each.id)}
						>
							{each.preview === undefined ? <Icon name="file" /> : <img src={each.preview} alt="" />}
							<span class="attachment-name">{each.name}</span>
							<span class="muted">{stateOf(each)}</span>
						</button>
						<IconButton
							icon="close"
							label={`Remove ${each.name}`}
							onClick={() => attachments.remove(each.id)}
						/>
					</li>
				))}
			</ul>
			{open && <AttachmentPreview attachment={open} onClose={() => setOpenId(undefined)} />}
		</>
	);
}

function stateOf({ state, progress, size, reason }: AddedFile): string {
	if (state === "failed") return reason ?? "failed";
	if (state === "working") return progress > 0 ? `${Math.round(progress * 100)}%` : "…";
	return size < 1024 * 1024
		? `${Math.max(1, Math.round(size / 1024))} KB`
		: `${(size / 1024 / 1024).toFixed(1)} MB`;
}
