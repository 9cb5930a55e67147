/** The extension: announces this window to Tau while it is open. */
import * as vscode from "vscode";
import { announce } from "./announce.js";

export const activate = (context) => announce(vscode, context);
