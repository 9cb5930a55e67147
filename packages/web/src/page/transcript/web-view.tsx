/** The parts that an extension has drawn. They come from the host and are shown as data: nothing of them runs here. */
import type { WebPart } from "@tau/wire";
import type { JSX } from "preact";

import { Markdown } from "../markdown/markdown.tsx";
import { ArtifactFrame } from "../panels/artifact-frame.tsx";
import { Table } from "../parts/table.tsx";
import { Pictures } from "./pictures.tsx";

const frameHeight = 240;

export function WebView({ parts }: { parts: readonly WebPart[] }): JSX.Element {
	return (
		<div class="web-view">
			{parts.map((part, at) => (
				<Part key={at} part={part} />
			))}
		</div>
	);
}

function Part({ part }: { part: WebPart }): JSX.Element {
	switch (part.type) {
		case "markdown":
			return <Markdown text={part.text} />;
		case "table":
			return <Table head={part.head} rows={part.rows} />;
		case "facts":
			return (
				<dl class="arguments">
					{part.facts.map(({ name, value }, at) => (
						<div key={at}>
							<dt>{name}</dt>
							<dd>{value}</dd>
						</div>
					))}
				</dl>
			);
		case "image":
			return <Pictures images={[part]} alt={part.alt} />;
		default:
			return (
				<ArtifactFrame
					text={part.html}
					title={part.title ?? "Drawn by an extension"}
					height={part.height ?? frameHeight}
				/>
			);
	}
}
