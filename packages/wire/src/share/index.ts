/** Sessions that are shared as a snapshot: their content, their seal, their links. Runs in browsers. */
export {
	documentTitle,
	parseDocument,
	shareFormat,
	ShareError,
	shareVersion,
	type ShareAgent,
	type ShareDocument,
} from "./document.ts";
export { shareLimits } from "./limits.ts";
export { readFragment, readShareLink, shareUrl, type ShareLink } from "./link.ts";
export {
	isRecording,
	parseRecording,
	recordingFormat,
	recordingVersion,
	type RecordingDocument,
} from "./recording.ts";
export { openShare, sealShare, type SealedShare } from "./seal.ts";
