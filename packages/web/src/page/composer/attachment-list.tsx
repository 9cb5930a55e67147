/** What goes with the next prompt. */
import type { JSX } from "preact";

import { Icon, IconButton } from "../parts/icon.tsx";
import type { Attachment, Attachments } from "./attachments.ts";

export function AttachmentList({ attachments }: { attachments: Attachments }): JSX.Element | null {
	const list = attachments.list.value;
	if (list.length === 0) return null;
	return (
		<ul class="attachments" aria-label="Attachments">
			{list.map((each) => (
				<li key={each.id} class={`attachment attachment-${each.state}`} title={each.reason ?? each.name}>
					<Preview attachment={each} />
					<span class="attachment-name">{each.name}</span>
					<span class="muted">{stateOf(each)}</span>
					<IconButton
						icon="close"
						label={`Remove ${each.name}`}
						onClick={() => attachments.remove(each.id)}
					/>
				</li>
			))}
		</ul>
	);
}

function Preview({ attachment: { image, file } }: { attachment: Attachment }): JSX.Element {
	const shown = image ?? file?.image;
	if (shown) return <img src={`data:${shown.mimeType};base64,${shown.data}`} alt="" />;
	return <Icon name="file" />;
}

function stateOf({ state, progress, size, reason }: Attachment): string {
	if (state === "failed") return reason ?? "failed";
	if (state === "working") return progress > 0 ? `${Math.round(progress * 100)}%` : "…";
	return size < 1024 * 1024
		? `${Math.max(1, Math.round(size / 1024))} KB`
		: `${(size / 1024 / 1024).toFixed(1)} MB`;
}
