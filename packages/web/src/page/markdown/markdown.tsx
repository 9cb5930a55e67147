/** Markdown in the page. */
import type { JSX } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";

import { artifactTypeOf, openArtifact } from "../store/artifacts.ts";
import { SessionContext } from "../store/session-context.ts";
import { MarkdownView } from "./markdown-view.ts";

export function Markdown({ text, isDone = true }: { text: string; isDone?: boolean }): JSX.Element {
	const element = useRef<HTMLDivElement>(null);
	const view = useRef<MarkdownView>(null);
	const { fileAddress } = useContext(SessionContext);
	useLayoutEffect(() => {
		if (!element.current) return;
		view.current ??= new MarkdownView(element.current, { fileAddress });
		view.current.update(text, isDone);
	}, [text, isDone]);
	return <div class="markdown" ref={element} onClick={onClick} />;
}

/** What blocks cannot do themselves, because they are no components. */
function onClick(event: MouseEvent): void {
	const { target } = event;
	if (!(target instanceof HTMLButtonElement)) return;
	if (target.dataset.action === "copy-code") void copyCode(target);
	if (target.dataset.action === "open-artifact") openCode(target);
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
	setTimeout(() => (button.textContent = "Copy"), 1500);
}

/** The policy of the page lets no picture of another server in: it opens in a tab of its own. */
function loadImage(_button: HTMLButtonElement, source: string): void {
	open(source, "_blank", "noopener,noreferrer");
}
