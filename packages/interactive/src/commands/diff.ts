/** `/diff`: the files that this session changed, in a list, and their diffs. */
import type { CommandReply } from "@tau/wire";

import { diff as row, type DiffData, type ListedFile } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { diffPane } from "../selectors/diff/diff-pane.ts";
import { diffSelector } from "../selectors/diff/selector.ts";
import { openSelector } from "../selectors/open.ts";
import { drawReply, replyOf } from "../run-row.ts";
import { onScreen } from "./on-screen.ts";

export const diff = onScreen(row, (reply, host) => {
	const data = dataOf(reply);
	if ("diff" in data) return showOne(host, data);
	if (data.files.length === 0) return drawReply(reply, host);
	openSelector(host, (screen, close) => ({
		component: diffSelector(screen, { files: data.files, diffOf: (file) => diffOf(host, file), close }),
	}));
});

function showOne(host: InteractiveHost, { path, diff: text }: Extract<DiffData, { diff: string }>): void {
	openSelector(host, (screen, close) => ({
		component: diffPane(screen, { path, diff: text, back: close }),
	}));
}

async function diffOf(host: InteractiveHost, { path }: ListedFile): Promise<string> {
	const data = dataOf(await replyOf(row, path, host));
	return "diff" in data ? data.diff : "";
}

/** The row gives its replies this data. */
function dataOf({ data }: CommandReply): DiffData {
	return data as DiffData;
}
