/** A browser that the server does not know: how to be let in, and why a link did not do. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { TextField } from "../parts/text-field.tsx";
import { followLink } from "../store/route.ts";
import { isSignedOut, signIn, signInProblem } from "../store/sessions.ts";

/** An installed page has no field for addresses: a link is pasted here. */
export function SignedOut(): JSX.Element {
	const [link, setLink] = useState("");
	const submit = async (): Promise<void> => {
		const token = followLink(link);
		if (token === undefined) signInProblem.value = "This is no link of tau web: it has #token= in it.";
		else await signIn(token);
		// As a browser that is let in has it, with a new store.
		if (!isSignedOut.value) location.reload();
		setLink("");
	};
	return (
		<main class="screen signed-out">
			<p class="empty-mark" aria-hidden="true">
				τ
			</p>
			<h1>This browser is not signed in</h1>
			{signInProblem.value !== undefined && <p role="alert">{signInProblem.value}</p>}
			<p class="muted">
				Run <code>tau web</code> in a terminal. Open the link that it prints, or paste it here.
			</p>
			<form
				class="line-form"
				onSubmit={(event) => {
					event.preventDefault();
					void submit();
				}}
			>
				<TextField label="Link of tau web" placeholder="http://…/#token=…" value={link} onInput={setLink} />
				<button type="submit" class="primary" disabled={link.trim() === ""}>
					Sign in
				</button>
			</form>
		</main>
	);
}
