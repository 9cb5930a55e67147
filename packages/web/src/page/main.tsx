/** Starts the page: takes the token of the link, then shows the sessions. */
import { render } from "preact";

import { registerWorker } from "./offline/worker.ts";
import { App } from "./shell/app.tsx";
import { followRoute } from "./store/current.ts";
import { takeToken } from "./store/route.ts";
import { signIn, watchSessions } from "./store/sessions.ts";

async function start(): Promise<void> {
	const root = document.getElementById("page");
	if (!root) return;
	const token = takeToken();
	if (token !== undefined) await signIn(token);
	// The connection is made while the page is drawn.
	followRoute();
	render(<App />, root);
	watchSessions();
	registerWorker();
}

void start();
