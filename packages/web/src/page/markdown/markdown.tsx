/** Markdown in the page. */
import type { JSX } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";

import { limits } from "../limits.ts";
import { artifactTypeOf, openArtifact } from "../store/artifacts.ts";
import { SessionContext, type RowContext } from "../store/session-context.ts";
import { MarkdownView } from "./markdown-view.ts";

export function Markdown({ text, isDone = true }: { text: string; isDone?: boolean }): JSX.Element {
	const element = useRef<HTMLDivElement>(null);
	const view = useRef<MarkdownView>(null);
	const { files, onFile } = useContext(SessionContext);
	useLayoutEffect(() => {
		if (!element.current) return;
		view.current ??= new MarkdownView(element.current, {
			hasFiles: files !== undefined,
			picture: files && ((path) => files.picture(path)),
		});
		view.current.update(text, isDone);
	}, [text, isDone]);
	return <div class="markdown" ref={element} onClick={(event) => onClick(event, onFile)} />;
}

/** What blocks cannot do themselves, because they are no components. */
function onClick({ target: clicked }: MouseEvent, onFile: RowContext["onFile"]): void {
	const target = clicked instanceof Element ? clicked.closest("button") : null;
	if (!target) return;
	const { action, path, line } = target.dataset;
	if (action === "open-file" && path !== undefined)
		onFile?.(path, line === undefined ? undefined : Number(line));
	if (action === "copy-code") void copyCode(target);
	if (action === "open-artifact") openCode(target);
	const { source } = target.dataset;
	if (source !== undefined) loadImage(target, source);
}

function openCode(button: HTMLButtonElement): void {
	const figure = button.closest("figure");
	const language = figure?.querySelector(".language")?.textContent ?? "";
	const type = artifactTypeOf(language);
	if (type)
		openArtifact(`document.${language.toLowerCase()}`, type, [
			figure?.querySelector("code")?.textContent ?? "",
		]);
}

async function copyCode(button: HTMLButtonElement): Promise<void> {
	const code = button.closest("figure")?.querySelector("code")?.textContent ?? "";
	await navigator.clipboard.writeText(code);
	button.textContent = "Copied";
	setTimeout(() => (button.textContent = "Copy"), limits.copiedMs);
}

/** The policy of the page lets no picture of another server in: it opens in a tab of its own. */
function loadImage(_button: HTMLButtonElement, source: string): void {
	open(source, "_blank", "noopener,noreferrer");
}
