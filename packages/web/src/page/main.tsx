/** Starts the page: takes the token of the link, then shows the sessions. */
import { render } from "preact";

import { registerWorker } from "./offline/worker.ts";
import { App } from "./shell/app.tsx";
import { api } from "./store/api.ts";
import { followRoute } from "./store/current.ts";
import { takeToken } from "./store/route.ts";
import { isSignedOut, watchSessions } from "./store/sessions.ts";

async function start(): Promise<void> {
	const root = document.getElementById("page");
	if (!root) return;
	const token = takeToken();
	if (token !== undefined) {
		try {
			await api.login(token);
		} catch {
			isSignedOut.value = true;
		}
	}
	// The connection is made while the page is drawn.
	followRoute();
	render(<App />, root);
	watchSessions();
	registerWorker();
}

void start();
