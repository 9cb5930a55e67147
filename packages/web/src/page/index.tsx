/** The pieces for other pages: a transcript of a session that is live or read from a file, Markdown, renderers. */
import { render } from "preact";
import type { SessionSnapshot } from "@tau/wire";

import { OpenSession, type ShownClient } from "./store/open-session.ts";
import { fileClient } from "./store/file-client.ts";
import { Transcript } from "./transcript/transcript.tsx";

export { Markdown } from "./markdown/markdown.tsx";
export { registerRenderer, type MessageRenderer } from "./transcript/renderers.ts";
export { fileClient, OpenSession, Transcript, type ShownClient };

/** Draws a session that is only read into an element of the page, whose style sheet is that of Tau's own. */
export function showSnapshot(element: HTMLElement, snapshot: SessionSnapshot): Disposable {
	const session = new OpenSession(snapshot.facts.session.id, fileClient(snapshot));
	render(<Transcript session={session} />, element);
	return {
		[Symbol.dispose]() {
			render(null, element);
			session[Symbol.dispose]();
		},
	};
}
