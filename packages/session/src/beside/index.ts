/** The entry point of questions beside the conversation. */
export { SideChannels, type ConsultOptions, type SideAnswer, type SideOptions } from "./side-channels.ts";
