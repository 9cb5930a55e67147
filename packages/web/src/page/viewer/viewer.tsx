/** Starts the page of a session that is only read: a share that is fetched and opened here, or a file or recording with everything in it. */
import { render } from "preact";

import { loadDocument } from "./load.ts";
import { RecordingApp } from "./recording-app.tsx";
import { Opening, ViewerApp } from "./viewer-app.tsx";

async function start(): Promise<void> {
	const root = document.getElementById("page");
	if (!root) return;
	render(<Opening />, root);
	try {
		const shown = await loadDocument();
		render("format" in shown ? <RecordingApp shown={shown} /> : <ViewerApp shared={shown} />, root);
	} catch (error) {
		render(<Opening failure={error instanceof Error ? error.message : String(error)} />, root);
	}
}

void start();
// Another key is another share; another message of this one is only scrolled to.
let { key } = keyOf();
addEventListener("hashchange", () => {
	if (keyOf().key === key) return;
	({ key } = keyOf());
	void start();
});

function keyOf(): { key: string } {
	return { key: location.hash.replace(/^#/, "").split("&")[0] ?? "" };
}
