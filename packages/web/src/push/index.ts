/** Web Push: browsers are told that something waits while no page is open. */
export { Pusher, type PushMessage } from "./pusher.ts";
