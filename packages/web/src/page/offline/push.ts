/** Push notifications of this device about waiting questions. */
import { signal } from "@preact/signals";

import { call } from "../store/api.ts";

export type PushState = "unsupported" | "off" | "on";

export const pushState = signal<PushState>(
	"PushManager" in globalThis && "serviceWorker" in navigator ? "off" : "unsupported",
);

async function currentSubscription(): Promise<PushSubscription | null> {
	const registration = await navigator.serviceWorker.getRegistration();
	return (await registration?.pushManager.getSubscription()) ?? null;
}

if (pushState.value !== "unsupported")
	currentSubscription().then(
		(found) => (pushState.value = found ? "on" : "off"),
		// A browser may forbid it, as in a private window.
		() => (pushState.value = "unsupported"),
	);

/** Rejects with the reason: the user has said no, or the browser's push service does not answer. */
export async function subscribeToPush(): Promise<void> {
	if ((await Notification.requestPermission()) !== "granted")
		throw new Error("The browser does not allow notifications of this page.");
	const { publicKey } = await call<{ publicKey: string }>("GET", "/api/push");
	const registration = await navigator.serviceWorker.ready;
	const subscription = await registration.pushManager.subscribe({
		userVisibleOnly: true,
		applicationServerKey: publicKey,
	});
	await call("POST", "/api/push", { subscription: subscription.toJSON() });
	pushState.value = "on";
}

export async function unsubscribeFromPush(): Promise<void> {
	const subscription = await currentSubscription();
	if (subscription) {
		await call("DELETE", "/api/push", { endpoint: subscription.endpoint });
		await subscription.unsubscribe();
	}
	pushState.value = "off";
}
