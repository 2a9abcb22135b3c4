# The shop's package.
{ pkgs ? import <nixpkgs> { }, lib }:

let
  version = "1.2";

  # Adds a suffix.
  tag = name: "${name}-${version}";
in
{
  shop = pkgs.stdenv.mkDerivation {
    pname = "shop";
    inherit version;
    src = ./.;
    buildInputs = [ pkgs.openssl ];
  };

  services.shop.enable = true;
}
