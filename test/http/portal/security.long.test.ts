// With every kind of request from another site for each form, and each form as up to three pages show it.
import "./security.test.js";
