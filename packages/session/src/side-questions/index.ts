/** The entry point of questions beside the conversation. */
export { SideQuestions, type ConsultOptions, type SideAnswer, type SideOptions } from "./side-questions.ts";
