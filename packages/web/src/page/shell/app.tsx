/** The page: sessions on the left, the open one beside them; on a phone one after the other. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { lazy } from "../parts/lazy.tsx";
import { LineDialog } from "../parts/line-dialog.tsx";
import { current } from "../store/current.ts";
import { route } from "../store/route.ts";
import { isSignedOut } from "../store/sessions.ts";
import { sidebarShown } from "../store/preferences.ts";
import { askedLine, overlay } from "../store/overlay.ts";
import { onGlobalKey } from "./keys.ts";
import { SessionScreen } from "./session-screen.tsx";
import { Sidebar } from "./sidebar.tsx";
import { Failed, Home, Opening } from "./screens.tsx";
import { Toasts } from "./toasts.tsx";
import { useTitle } from "./use-title.ts";

const SignedOut = lazy(async () => (await import("./signed-out.tsx")).SignedOut);
const HelpPanel = lazy(async () => (await import("../panels/help.tsx")).HelpPanel);
const UsageScreen = lazy(async () => (await import("../usage/usage-screen.tsx")).UsageScreen);
const GatewayScreen = lazy(async () => (await import("../gateway/gateway-screen.tsx")).GatewayScreen);
const FleetScreen = lazy(async () => (await import("../fleet/fleet-screen.tsx")).FleetScreen);
const Palette = lazy(async () => (await import("../panels/palette.tsx")).Palette);

export function App(): JSX.Element {
	useEffect(() => {
		addEventListener("keydown", onGlobalKey);
		return () => removeEventListener("keydown", onGlobalKey);
	}, []);
	useTitle();
	if (isSignedOut.value) return <SignedOut />;
	return (
		<>
			<div class="app" data-screen={route.value.name} data-sidebar={sidebarShown.value ? "shown" : "hidden"}>
				<Sidebar />
				<Main />
			</div>
			{overlay.value === "palette" && <Palette />}
			{overlay.value === "help" && <HelpPanel />}
			{askedLine.value && <LineDialog key={askedLine.value} asked={askedLine.value} />}
			<Toasts />
		</>
	);
}

function Main(): JSX.Element {
	const now = current.value;
	if (route.value.name === "stats") return <UsageScreen range={route.value.range} />;
	if (route.value.name === "gateway") return <GatewayScreen />;
	if (route.value.name === "fleet") return <FleetScreen />;
	if (now.kind === "open") return <SessionScreen key={now.session.client.me.id} session={now.session} />;
	if (now.kind === "opening") return <Opening key={now.id} id={now.id} />;
	if (now.kind === "failed") return <Failed id={now.id} reason={now.reason} />;
	return <Home />;
}
