#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: take_object.sh FOLDER COMPILER ARGUMENT...
#
# Copies the object that the arguments name from FOLDER, or compiles it if it is not there. See same_objects.py.
folder=$1
shift
object=
previous=
for word; do
    [ "$previous" != -o ] || object=$word
    previous=$word
done
[ ! -e "$folder/$object" ] || exec cp "$folder/$object" "$object"
exec "$@"
